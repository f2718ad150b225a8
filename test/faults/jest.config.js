const { globalSetup, globalTeardown, ...base } = require('../../jest.config.js');

/**
 * The tests of faults: apart from the others, since they take their time, and one at a time, since
 * they measure it. Each starts a PostgreSQL of its own, which it may then break.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/faults/**/*.fault-spec.ts'],
  testTimeout: 120_000,
  maxWorkers: 1,
};
