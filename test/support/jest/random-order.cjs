const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs files in an order that `--seed` determines, which Jest draws and prints unless it is given.
 * Files share an application, and none may depend on which of them came before.
 */
module.exports = class RandomOrder extends Sequencer {
  constructor(options) {
    super(options);
    this.seed = options.globalConfig.seed;
  }

  sort(tests) {
    // Files with fake timers end the shared application (see environment.cjs), so they run before it starts.
    const groupOf = (path) => (readFileSync(path, 'utf8').includes('useFakeTimers') ? 'a' : 'b');
    const drawFor = (path) =>
      createHash('sha1')
        .update(`${String(this.seed)} ${path}`)
        .digest('hex');
    const places = new Map(tests.map(({ path }) => [path, groupOf(path) + drawFor(path)]));
    return [...tests].sort((a, b) => (places.get(a.path) < places.get(b.path) ? -1 : 1));
  }
};
