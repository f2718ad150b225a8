const { testPathIgnorePatterns, testSequencer, ...base } = require('../../jest.config.js');

/**
 * Tests that take long: the service and its commands as processes, the console in a browser,
 * properties on random data, and the files that are named `.long.`. The longest files run first, so that both workers
 * end together.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: [
    '<rootDir>/test/{main,cli,browser,property}/**/*.{spec,e2e-spec}.ts',
    '<rootDir>/{src,test}/**/*.long.{spec,e2e-spec}.ts',
  ],
};
