const { appendFileSync } = require('node:fs');
const Module = require('node:module');
const SharedRealmEnvironment = require('../support/jest/environment.cjs');

/** What instrumented code reads and writes: see Stryker's instrumenter. */
const stryker = (globalThis.__stryker__ ??= {});
stryker.mutantCoverage ??= { static: {}, perTest: {} };

const load = Module._extensions['.ts'];
if (load) {
  // Code that runs while its module is loaded belongs to no test file: modules are loaded once for all.
  Module._extensions['.ts'] = (...parameters) => {
    const { currentTestId } = stryker;
    stryker.currentTestId = undefined;
    try {
      load(...parameters);
    } finally {
      stryker.currentTestId = currentTestId;
    }
  };
}

/** Appends the mutants whose code each test file runs to the file that `MUTANT_COVERAGE` names. */
module.exports = class CoverageEnvironment extends SharedRealmEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
    stryker.currentTestId = context.testPath;
    this.startedAtMs = performance.now();
  }

  async teardown() {
    await super.teardown();
    const file = process.env.MUTANT_COVERAGE;
    const { perTest } = stryker.mutantCoverage;
    const mutants = Object.keys(perTest[this.testPath] ?? {});
    // In place, because instrumented code keeps the object.
    for (const path of Object.keys(perTest)) Reflect.deleteProperty(perTest, path);
    const ms = Math.round(performance.now() - this.startedAtMs);
    if (file) appendFileSync(file, `${JSON.stringify({ path: this.testPath, ms, mutants })}\n`);
  }
};
