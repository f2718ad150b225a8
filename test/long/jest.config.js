const { testPathIgnorePatterns, ...base } = require('../../jest.config.js');

/**
 * Tests that take long: the service and its commands as processes, the console in a browser, and
 * properties on random data.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['main', 'cli', 'browser', 'property'].flatMap((folder) => [
    `<rootDir>/test/${folder}/**/*.spec.ts`,
    `<rootDir>/test/${folder}/**/*.e2e-spec.ts`,
  ]),
};
