import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceProcess } from '../../main/service-process';
import { eventually } from '../../support/eventually';

const HOOK = `
  const { setFlagsFromString } = require('node:v8');
  setFlagsFromString('--expose-gc');
  const collect = require('node:vm').runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    console.log('heap in use: ' + process.memoryUsage().heapUsed);
  });`;

/** Returns settings that let a service print its heap size on SIGUSR2. */
export function heapSettings(): { NODE_OPTIONS: string } {
  const hook = join(mkdtempSync(join(tmpdir(), 'datagrid-heap-')), 'hook.cjs');
  writeFileSync(hook, HOOK);
  return { NODE_OPTIONS: `--require ${hook}` };
}

/** Returns the heap size of such a service after garbage collection. */
export async function heapMiB({ child, stdout }: ServiceProcess): Promise<number> {
  const told = (): string[] =>
    [...stdout().matchAll(/^heap in use: (\d+)\n/gm)].map(([, n = '']) => n);
  const before = told().length;
  child.kill('SIGUSR2');
  await eventually(() => told().length > before, 60_000);
  return Number(told().at(-1)) / 1024 / 1024;
}
