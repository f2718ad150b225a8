const base = require('../../jest.config.js');

/**
 * Random requests: apart from the other tests, since each run sends others.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/fuzz/**/*.fuzz-spec.ts'],
  testTimeout: 600_000,
  maxWorkers: 1,
};
