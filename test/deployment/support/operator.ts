import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Json } from '../../support/api-client';
import { variable } from './deployment';

const run = promisify(execFile);

export const hasOperator = (): boolean => Boolean(process.env['E2E_OPERATOR']);

/** Runs an operators' command where the deployment is, by what `E2E_OPERATOR` says. */
export async function operator(...args: string[]): Promise<Json> {
  const { stdout } = await run('/bin/sh', [
    '-c',
    `${variable('E2E_OPERATOR')} "$@"`,
    'operator',
    ...args,
    '--json',
  ]);
  return JSON.parse(stdout);
}

/** Whether a command did what it is for; the caller knows another way where it did not. */
export async function tryOperator(...args: string[]): Promise<boolean> {
  return operator(...args).then(
    () => true,
    () => false,
  );
}
