const { createHash } = require('node:crypto');
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
    const placeOf = ({ path }) =>
      createHash('sha1')
        .update(`${String(this.seed)} ${path}`)
        .digest('hex');
    return [...tests].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  }
};
