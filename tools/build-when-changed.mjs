/**
 * Builds where `dist/` is not of the sources as they are now. A build takes some seconds, which
 * the second start can do without. What it prints goes to standard error.
 */
import { spawnSync } from 'node:child_process';
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

const STAMP = 'dist/.built-from';
const LOCK = 'dist/.building';
const PROGRAM = 'dist/src/main.js';
/** Written by every build, also by those that are not started here. */
const BUILD_INFO = 'dist/tsconfig.build.tsbuildinfo';
/** Whoever takes the lock writes its process id at once. */
const EMPTY_FOR_GOOD_AFTER_MS = 5_000;
const SETTINGS = /^(ormconfig\.ts|nest-cli\.json|tsconfig.*\.json|package-lock\.json)$/;

function sources() {
  const inFolders = ['src', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`),
  );
  const settings = readdirSync('.').filter((name) => SETTINGS.test(name));
  const isBuilt = (name) => /\.(ts|json)$/.test(name) && !name.endsWith('.spec.ts');
  return [...settings, ...inFolders].filter(isBuilt).sort();
}

/** Stands for what the sources hold and for the last build. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const name of sources()) hash.update(`\0${name}\0`).update(readFileSync(name));
  if (existsSync(BUILD_INFO)) hash.update(String(statSync(BUILD_INFO).mtimeMs));
  return hash.digest('hex');
}

function isBuilt() {
  if (!existsSync(PROGRAM) || !existsSync(STAMP)) return false;
  return readFileSync(STAMP, 'utf8') === fingerprint();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A build that was killed leaves its lock behind. */
function isAbandoned() {
  if (!existsSync(LOCK)) return false;
  const pid = Number(readFileSync(LOCK, 'utf8'));
  return pid > 0 ? !isAlive(pid) : Date.now() - statSync(LOCK).mtimeMs > EMPTY_FOR_GOOD_AFTER_MS;
}

/** Two that start at once must not write the same files. */
async function lock() {
  mkdirSync('dist', { recursive: true });
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    await delay(100);
    if (isAbandoned()) rmSync(LOCK, { force: true });
  }
}

async function build() {
  await lock();
  try {
    if (isBuilt()) return 0;
    // Standard output belongs to the program that is started next.
    const { status } = spawnSync('npm', ['run', '-s', 'build'], { stdio: ['ignore', 2, 2] });
    if (status === 0) writeFileSync(STAMP, fingerprint());
    return status ?? 1;
  } finally {
    rmSync(LOCK, { force: true });
  }
}

// An image holds what is built, and no sources.
process.exitCode = !existsSync('src') || isBuilt() ? 0 : await build();
