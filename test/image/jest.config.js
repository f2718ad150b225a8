const base = require('../../jest.config.js');

/**
 * The image, made by hand: apart from the other tests, since it installs the packages anew.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/image/**/*.image-spec.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
