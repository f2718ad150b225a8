const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs files in an order that `--seed` determines, which Jest draws and prints unless it is given.
 * Files share an application, and none may depend on which of them came before. `--shard=1/3` runs a
 * third of them, which the seed draws.
 */
module.exports = class RandomOrder extends Sequencer {
  constructor(options) {
    super(options);
    this.seed = options.globalConfig.seed;
  }

  sort(tests) {
    // Files with fake timers end the shared application (see environment.cjs), so they run before it starts.
    const usesFakeTimers = ({ path }) => readFileSync(path, 'utf8').includes('useFakeTimers');
    const drawn = this.draw(tests);
    return [...drawn.filter(usesFakeTimers), ...drawn.filter((test) => !usesFakeTimers(test))];
  }

  shard(tests, { shardIndex, shardCount }) {
    return this.draw(tests).filter((_, n) => n % shardCount === shardIndex - 1);
  }

  /** The order is the same in each clone of the project. */
  draw(tests) {
    const placeOf = ({ path, context }) =>
      createHash('sha1')
        .update(`${String(this.seed)} ${relative(context.config.rootDir, path)}`)
        .digest('hex');
    const places = new Map(tests.map((test) => [test, placeOf(test)]));
    return [...tests].sort((a, b) => (places.get(a) < places.get(b) ? -1 : 1));
  }
};
