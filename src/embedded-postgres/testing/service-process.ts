import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { transformFile } from '@swc/core';

const SOURCE_DIR = join(__dirname, '..');
const NODE_MODULES = join(__dirname, '../../../node_modules');

/** Opens the database, prints its URL, and releases it when its standard input ends. */
const PROGRAM = `
const { openEmbeddedPostgres } = require(process.argv[1]);
openEmbeddedPostgres({ dataDir: process.argv[2] }).then((database) => {
  console.log(database.url);
  process.stdin.resume().once('end', () => database.release());
});`;

/** Another process with a share in the database, like a service. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Ends the process in order and returns its exit status. */
  release(): Promise<number | null>;
  /** Kills the process without a chance to clean up. */
  kill(): Promise<void>;
}

/** Compiles this module to JavaScript in `directory`, so that a plain Node process can load it. */
export async function compileModule(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const names = (await readdir(SOURCE_DIR)).filter((name) => /(?<!\.spec)\.ts$/.test(name));
  for (const name of names) {
    const { code } = await transformFile(join(SOURCE_DIR, name), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    await writeFile(join(directory, name.replace(/ts$/, 'js')), code);
  }
  return join(directory, 'embedded-postgres.js');
}

/** Starts a process that opens the database of `dataDir`, and waits until it has. */
export async function startService(module: string, dataDir: string): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['-e', PROGRAM, module, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_PATH: NODE_MODULES },
  });
  const exited = once(child, 'exit');
  const firstLine = once(createInterface(child.stdout), 'line');
  const url = await Promise.race([
    firstLine.then(([line]) => String(line)),
    exited.then(([status]) => Promise.reject(new Error(`Ended early: ${String(status)}`))),
  ]);
  return {
    child,
    url,
    release: async () => {
      child.stdin.end();
      await exited;
      return child.exitCode;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
