/**
 * Builds the parts named as arguments (`service`, `console`, `packages`; `service` by default) whose sources
 * have changed since the last build. Unchanged parts are skipped, because a build takes some
 * seconds. Output goes to standard error, with a line before each build and each wait.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const LOCK = 'dist/.building';
/** A lock file that is empty for longer is abandoned: its owner writes its process id at once. */
const EMPTY_FOR_GOOD_AFTER_MS = 5_000;
const SETTINGS = /^(ormconfig\.ts|nest-cli\.json|tsconfig.*\.json|package-lock\.json)$/;

const PARTS = {
  service: {
    script: 'service:build',
    stamp: 'dist/.built-from',
    product: 'dist/src/main.js',
    /** File that every build writes, including builds that are not started here. */
    writtenByEvery: 'dist/tsconfig.build.tsbuildinfo',
    sources: () => {
      const settings = readdirSync('.').filter((name) => SETTINGS.test(name));
      const isBuilt = (name) => /\.(ts|json|js|css|svg)$/.test(name) && !name.endsWith('.spec.ts');
      return [...settings, ...['src', 'bench'].flatMap(filesOf)].filter(isBuilt);
    },
  },
  packages: {
    script: 'packages:build',
    stamp: 'dist/.packages-built-from',
    product: 'packages/command-line/dist/main.js',
    writtenByEvery: 'packages/command-line/dist/main.js',
    sources: () => {
      const isSource = (name) => !/\/(dist|node_modules)\/|\.spec\.ts$/.test(name);
      return ['package-lock.json', ...filesOf('packages').filter(isSource)];
    },
  },
  console: {
    script: 'console:build',
    stamp: 'dist/.console-built-from',
    product: 'dist/console/index.html',
    writtenByEvery: 'dist/console/index.html',
    // With the files of the service that the console uses.
    sources: () => [
      'package-lock.json',
      ...['console', 'src/common', 'src/imports/read', 'src/rows/values'].flatMap(filesOf),
    ],
  },
};

function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

/** Returns a hash of the sources and of the time of the last build. */
function fingerprint({ sources, writtenByEvery }) {
  const hash = createHash('sha256');
  for (const name of sources().sort()) hash.update(`\0${name}\0`).update(readFileSync(name));
  if (existsSync(writtenByEvery)) hash.update(String(statSync(writtenByEvery).mtimeMs));
  return hash.digest('hex');
}

function isBuilt(part) {
  if (!existsSync(part.product) || !existsSync(part.stamp)) return false;
  return readFileSync(part.stamp, 'utf8') === fingerprint(part);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Whether the lock belongs to a process that was killed. */
function isAbandoned() {
  if (!existsSync(LOCK)) return false;
  const pid = Number(readFileSync(LOCK, 'utf8'));
  return pid > 0 ? !isAlive(pid) : Date.now() - statSync(LOCK).mtimeMs > EMPTY_FOR_GOOD_AFTER_MS;
}

/** Waits for the lock, so that concurrent builds do not write the same files. */
async function lock() {
  mkdirSync('dist', { recursive: true });
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isWaiting) say('Waiting for another build to end.');
    await delay(100);
    if (isAbandoned()) rmSync(LOCK, { force: true });
  }
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

/** Runs an npm script and returns its exit code. */
function run(script) {
  return new Promise((resolve) => {
    // Standard output is reserved for the program that starts after the build.
    const child = spawn('npm', ['run', '-s', script], { stdio: ['ignore', 2, 2] });
    child.on('error', () => resolve(1));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function buildPart(part) {
  say(`Building the ${part.name}. This can take a minute.`);
  const status = await run(part.script);
  if (status === 0) writeFileSync(part.stamp, fingerprint(part));
  return status;
}

async function build(parts) {
  await lock();
  try {
    const missing = parts.filter((part) => !isBuilt(part));
    return Math.max(0, ...(await Promise.all(missing.map(buildPart))));
  } finally {
    rmSync(LOCK, { force: true });
  }
}

const names = process.argv.slice(2);
const parts = (names.length ? names : ['service']).map((name) => ({ name, ...PARTS[name] }));
// The image contains the build but no sources.
process.exitCode = !existsSync('src') || parts.every(isBuilt) ? 0 : await build(parts);
