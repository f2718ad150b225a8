const base = require('../faults/jest.config.js');

/**
 * The tests of fairness: an attacker's account beside a victim's, on instances with the default
 * limits. They measure time, so they run one at a time.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/fairness/**/*.fairness-spec.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/fairness/support/retries.ts'],
};
