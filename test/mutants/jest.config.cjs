const base = require('../../jest.config.js');

/**
 * The tests that run against mutants: those that load the service into their own process. Others compare
 * sources with documents, run what was built, or need programs that npm does not install.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testEnvironment: '<rootDir>/test/mutants/coverage.cjs',
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/test/{e2e,property}/**/*.{spec,e2e-spec}.ts',
    '<rootDir>/test/connections/*.spec.ts',
  ],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/src/embedded-postgres/',
    '<rootDir>/test/e2e/documents/',
    '<rootDir>/test/connections/.*\\.long\\.spec\\.ts$',
    '<rootDir>/test/e2e/connections/.*\\.long\\.e2e-spec\\.ts$',
  ],
};
