const base = require('../../jest.config.js');

/**
 * The suite that runs against a deployment. Runs one test at a time, because a key has a rate limit.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/deployment/**/*.deployment-spec.ts'],
  globalSetup: '<rootDir>/test/deployment/support/set-up.ts',
  globalTeardown: '<rootDir>/test/deployment/support/tear-down.ts',
  // Tests may wait for the rate limit.
  testTimeout: 300_000,
  maxWorkers: 1,
};
