const base = require('../../jest.config.js');

const isMeasured = process.env.FAULTS === 'measured';

/**
 * The tests of faults: apart from the others, since they take their time, and one at a time. A test
 * that breaks PostgreSQL starts one of its own. With `FAULTS=measured`, the tests that compare times and
 * rates with limits: they need a machine that does nothing else.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: isMeasured
    ? [
        '<rootDir>/test/faults/{*.measured,{limits,pooler,files,steady,database-*,removed-*}.fault}-spec.ts',
      ]
    : ['<rootDir>/test/faults/**/*.fault-spec.ts'],
  // A busy machine takes its time to start instances.
  testTimeout: 300_000,
  maxWorkers: 1,
};
