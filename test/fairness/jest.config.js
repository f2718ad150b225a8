const base = require('../faults/jest.config.js');

const support = '<rootDir>/test/fairness/support';

/**
 * The tests of fairness: an attacker's account beside a victim's, on instances with the default
 * limits. By default they prove what does not depend on time, on instances that all files share.
 * With `FAIRNESS=measured`, each file has instances of its own, and the latency of the victim is
 * measured. They run one at a time.
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  testMatch: ['<rootDir>/test/fairness/**/*.fairness-spec.ts'],
  ...(process.env.FAIRNESS === 'measured'
    ? { setupFilesAfterEnv: [`${support}/retries.ts`] }
    : {
        globalSetup: `${support}/shared-arena-setup.ts`,
        globalTeardown: `${support}/shared-arena-teardown.ts`,
      }),
};
