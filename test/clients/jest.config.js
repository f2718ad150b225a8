const base = require('../../jest.config.js');

/**
 * The API description, held by tools that others wrote: linters, generators of clients, Schemathesis.
 * Apart from the other tests, since these are installed with `install.sh`.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/clients/**/*.clients-spec.ts'],
  // A tool takes two minutes beside other suites, and much longer on a busy machine.
  testTimeout: 900_000,
};
