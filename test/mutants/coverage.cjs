const { appendFileSync } = require('node:fs');
const Module = require('node:module');
const SharedRealmEnvironment = require('../support/jest/environment.cjs');

/** What instrumented code reads and writes: see Stryker's instrumenter. */
const stryker = (globalThis.__stryker__ ??= {});
stryker.mutantCoverage ??= { static: {}, perTest: {} };

let isWrapped = false;

/** Notes which code runs while its module is loaded: modules are loaded once for all files of a worker. */
function wrapLoading() {
  if (isWrapped) return;
  isWrapped = true;
  const load = Module._extensions['.ts'];
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
    // The runtime has set how modules are loaded.
    wrapLoading();
    this.testPath = context.testPath;
    stryker.currentTestId = context.testPath;
    this.startedAtMs = performance.now();
  }

  async teardown() {
    await super.teardown();
    const file = process.env.MUTANT_COVERAGE;
    const { perTest, static: loaded } = stryker.mutantCoverage;
    const mutants = Object.keys(perTest[this.testPath] ?? {});
    // In place, because instrumented code keeps the object.
    for (const path of Object.keys(perTest)) Reflect.deleteProperty(perTest, path);
    const ms = Math.round(performance.now() - this.startedAtMs);
    const result = { path: this.testPath, ms, mutants, atLoad: Object.keys(loaded) };
    if (file) appendFileSync(file, `${JSON.stringify(result)}\n`);
  }
};
