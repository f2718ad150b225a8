/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  // Load the service and its packages once for all test files of a worker.
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/console/src/**/*.spec.ts',
    '<rootDir>/packages/*/src/**/*.spec.ts',
    '<rootDir>/test/**/*.spec.ts',
    '<rootDir>/test/**/*.e2e-spec.ts',
  ],
  // These take long: see test/long.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(main|cli|browser|property)/',
    '\\.long\\.(e2e-)?spec\\.ts$',
  ],
  testSequencer: '<rootDir>/test/support/jest/random-order.cjs',
  showSeed: true,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 60_000,
  maxWorkers: 2,
  // Not all memory of a test file is released: without this, a worker grows to 2 GB. A new worker starts a new
  // shared application.
  workerIdleMemoryLimit: '1GB',
  transform: {
    '^.+\\.(ts|js|mjs)$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: false,
          },
          keepClassNames: true,
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // The sources, because `npm test` does not build the packages.
  moduleNameMapper: { '^@datagrid/client$': '<rootDir>/packages/client/src/client.ts' },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
};
