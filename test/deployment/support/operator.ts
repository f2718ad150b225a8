import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Json } from '../../support/api-client';
import { variable } from './deployment';

const run = promisify(execFile);

export const hasOperator = (): boolean => Boolean(process.env['E2E_OPERATOR']);

/** Runs an administration command in the deployment, by the command line in `E2E_OPERATOR`. */
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

/** Runs a command that may fail. @returns whether it succeeded. */
export async function tryOperator(...args: string[]): Promise<boolean> {
  return operator(...args).then(
    () => true,
    () => false,
  );
}
