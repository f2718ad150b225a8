import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import type { ServerIdentity } from './server-identity';

/**
 * The complete environment of PostgreSQL's programs. `PGPORT`, `PGDATA` or the locale of the
 * service's environment must not affect them.
 */
const ENVIRONMENT = { LANG: 'C', LC_ALL: 'C', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };

/** Spawns one of PostgreSQL's programs with the server's identity, in the root directory. */
export function spawnAs(
  identity: ServerIdentity,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const [command = program, ...rest] = [...identity.prefix, program, ...args];
  return spawn(command, rest, { cwd: '/', env: ENVIRONMENT, ...identity.spawnAs, ...options });
}

/**
 * Runs a program until it ends.
 *
 * @returns its output.
 * @throws Error with the end of its output if it fails or takes longer than a minute.
 */
export async function runAs(
  identity: ServerIdentity,
  program: string,
  args: readonly string[],
): Promise<string> {
  const child = spawnAs(identity, program, args, {
    // A separate session, so that Ctrl-C in the terminal reaches only this process, which waits for
    // it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  let output = '';
  const collect = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const outcome = await new Promise<number | string | null>((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('close', (code, signal) => {
      resolve(code ?? signal);
    });
  });
  if (outcome === 0) return output;
  throw new Error(`${program} failed (${String(outcome)}):\n${output.slice(-2000)}`);
}
