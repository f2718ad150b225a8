const { AsyncLocalStorage } = require('node:async_hooks');
const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const process = require('node:process');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** Contexts whose code is compiled in the realm of the worker. */
const contexts = new WeakSet();

// Programs that the service forks are TypeScript in tests.
process.execArgv.push('--require', join(__dirname, 'typescript.cjs'));

const compileInContext = vm.compileFunction;
vm.compileFunction = (
  source,
  parameters,
  { parsingContext, importModuleDynamically, ...options } = {},
) =>
  contexts.has(parsingContext)
    ? compileInContext(source, parameters, options)
    : compileInContext(source, parameters, { parsingContext, importModuleDynamically, ...options });

/** Those of jest-circus, of which each file has a copy. */
const storages = new Set();

/** All others, which the shared application goes on using. */
const known = new WeakSet();

const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...parameters) {
  if (!known.has(this)) {
    known.add(this);
    const [, , caller = ''] = new Error().stack.split('\n');
    if (caller.includes('jest-circus')) storages.add(this);
  }
  return run.apply(this, parameters);
};

/** Type of the message with which Jest ends a worker. */
const END = 2;

// A worker that still has a shared application would otherwise wait until it is killed.
if (process.send) {
  process.on('message', ([type]) => type === END && process.exit());
  process.on('disconnect', () => process.exit());
}

const TICK_MS = 10;

/** CPU time of this process and of the processes that it has started and that have ended. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1_000;
  if (process.platform !== 'linux') return own;
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return own + TICK_MS * (Number(fields[13]) + Number(fields[14]));
}

/**
 * Runs test files in the realm of their worker, so that files can share modules (see runtime.cjs) and
 * `instanceof` works between them. Restores the state of the process after each file.
 */
module.exports = class SharedRealmEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    contexts.add(this.context);
    for (const symbol of Object.getOwnPropertySymbols(this.global))
      globalThis[symbol] ??= this.global[symbol];
    this.global = globalThis;
    this.path = context.testPath;
    this.startedAtMs = performance.now();
    this.cpuBeforeMs = cpuMs();
    this.before = {
      env: { ...process.env },
      exit: process.exit,
      exitCode: process.exitCode,
      console: globalThis.console,
    };
    this.fakeTimersModern.dispose();
    this.fakeTimersModern = new this.fakeTimersModern.constructor({
      config: config.projectConfig,
      global: globalThis,
    });
  }

  async setup() {
    await super.setup();
    // With fake timers, what the shared application does in the background would stop for good.
    if (globalThis.sharedTestApp && readFileSync(this.path, 'utf8').includes('useFakeTimers')) {
      const { nest, sql } = await globalThis.sharedTestApp;
      globalThis.sharedTestApp = undefined;
      await nest.close();
      await sql.end();
    }
  }

  async teardown() {
    await super.teardown();
    // Otherwise jest-circus keeps the handlers, and with them the modules, of every file.
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    // On Node 20 and 22, every promise of later files would be tracked once for each of these.
    for (const storage of storages) storage.disable();
    storages.clear();
    const { env, exit, exitCode, console } = this.before;
    for (const name of Object.keys(process.env))
      if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    process.exit = exit;
    process.exitCode = exitCode;
    globalThis.console = console;
    this.recordTimes();
  }

  /** Appends the time that the file took to the file that `TEST_TIMES` names, one JSON line each. */
  recordTimes() {
    if (!process.env.TEST_TIMES) return;
    const wallMs = performance.now() - this.startedAtMs;
    const times = { path: this.path, wallMs, cpuMs: cpuMs() - this.cpuBeforeMs };
    appendFileSync(process.env.TEST_TIMES, `${JSON.stringify(times)}\n`);
  }
};
