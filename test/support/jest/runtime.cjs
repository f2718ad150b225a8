const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { default: Runtime } = require('jest-runtime');

const MOCKS = /jest\.(mock|doMock|unstable_mockModule|setMock|resetModules|isolateModules)/;
const PACKAGES = /\/node_modules\/(?!jest|@jest\/|expect\/)/;
const SRC = join(__dirname, '../../../src/');
const SUPPORT = /\/testing\/|\.spec\.ts$/;

/** Returns whether a module is part of the service. */
const isSource = (path) => path.startsWith(SRC) && !SUPPORT.test(path.slice(SRC.length));

/** Paths of the source maps of shared modules. */
const sourceMaps = new Map();

/** Runtime of the current test file. It transforms the modules that this file loads first. */
const running = { runtime: undefined };

Module._extensions['.ts'] = (module, path) => {
  const code = running.runtime.transformCache.transform(path);
  const map = running.runtime.getSourceMaps().get(path);
  if (map) sourceMaps.set(path, map);
  module._compile(code, path);
};

/**
 * Loads the service and its packages once for all test files of a worker, with Node's own `require`.
 * Jest itself loads every module again for every file, its own as well, which takes longer than the tests. Tests and
 * their support files are still loaded for each file. If a file mocks modules, the service is loaded
 * again for it.
 */
exports.default = class SharedModuleRuntime extends Runtime {
  constructor(...parameters) {
    super(...parameters);
    Object.assign(running, { runtime: this });
    this.sharesSources = !MOCKS.test(readFileSync(this._testPath, 'utf8'));
    for (const [path, map] of sourceMaps) this.getSourceMaps().set(path, map);
  }

  requireInternalModule(from, name) {
    // Jest's own modules, except jest-circus itself, which has the state of one file.
    return name ? Module.createRequire(from)(name) : super.requireInternalModule(from, name);
  }

  requireModule(from, name, options, isRequireActual) {
    if (name && !options?.isInternalModule && !this._resolution.isCoreModule(name)) {
      const path = this._resolution.resolveCjs(from, name);
      if (PACKAGES.test(path) || (this.sharesSources && isSource(path))) return require(path);
    }
    return super.requireModule(from, name, options, isRequireActual);
  }
};
Object.defineProperty(exports, '__esModule', { value: true });
