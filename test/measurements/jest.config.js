const { testPathIgnorePatterns, ...base } = require('../../jest.config.js');

/**
 * Measurements of the console in a browser. They print figures and assert no times.
 * @type {import('jest').Config}
 */
module.exports = { ...base, testMatch: ['<rootDir>/test/measurements/*.measurement.ts'] };
