const base = require('../../jest.config.js');

/**
 * The suite that runs against a deployment: one test at a time, since a key has a limit.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/deployment/**/*.deployment-spec.ts'],
  globalSetup: '<rootDir>/test/deployment/support/set-up.ts',
  globalTeardown: '<rootDir>/test/deployment/support/tear-down.ts',
  // A limit may have to be waited for.
  testTimeout: 300_000,
  maxWorkers: 1,
};
