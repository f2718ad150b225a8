const base = require('../../jest.config.js');

/**
 * The tests that run again on another version of PostgreSQL and of Node, with properties: all that use
 * the database of the run or code of the service. `TEST_DATABASE_URL` names the server. Others would do
 * the same again:
 *
 * - tests that compare texts, such as sources and documents, those of documents' examples, and those of
 *   the console's own code;
 * - tests of the embedded PostgreSQL, and of destinations apart from the service, except PostgreSQL
 *   itself: they start servers of their own. The same is true of connections to other destinations;
 * - tests of the service as a process, of its commands, and of the console in a browser;
 * - tests that take long, which are named `.long.`, except those of the contract,
 *   of concurrency and of passwords.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(main|cli|browser)/',
    '(?<!/(postgresql|hostile-input-\\w+|write-time|(link-)?concurrency|limits-(addresses|public)|change-of-password))\\.long\\.(e2e-)?spec\\.ts$',
    '<rootDir>/test/architecture/(?!schema\\.)',
    '<rootDir>/test/(manifests|tools|bench|console|citus)/',
    '<rootDir>/test/e2e/documents/',
    '<rootDir>/console/',
    '<rootDir>/src/embedded-postgres/',
    '<rootDir>/test/connections/(?!postgresql[\\w-]*(\\.long)?\\.spec)',
    '<rootDir>/test/e2e/connections/(duckdb|parquet|clickhouse|scheduled-imports-(duckdb|clickhouse))',
  ],
};
