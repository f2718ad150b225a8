import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { separate, type TestSettings } from './test-settings';

const DIST = join(__dirname, '../../dist/src');

export type Environment = Readonly<Record<string, string>>;

export interface StartOptions {
  /** Runs in a process group of its own, as under a terminal. */
  readonly detached?: boolean;
  /** Directory of another build; `dist/src` by default. */
  readonly directory?: string;
  /** Limit of open files; that of the shell by default. */
  readonly maxOpenFiles?: number;
}

/**
 * Starts a built program with only these settings. `npm test` builds it before. Constants of the service
 * are changed before it loads anything else.
 * @param name Relative to `directory`, such as `main.js`.
 */
export function startBuilt(
  name: string,
  args: readonly string[],
  settings: TestSettings,
  { directory = DIST, maxOpenFiles, ...options }: StartOptions = {},
): ChildProcess {
  const program = join(directory, name);
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\` first.`);
  const { env, constants } = separate(settings);
  const isChanged = Object.keys(constants).length > 0;
  const preload = isChanged ? ['--require', join(__dirname, 'change-constants.cjs')] : [];
  const file = join(directory, 'platform/config/constants.js');
  const node = [process.execPath, ...preload, program, ...args];
  const limited = ['sh', '-c', `ulimit -n ${String(maxOpenFiles)} && exec "$@"`, 'sh', ...node];
  const [command = '', ...rest] = maxOpenFiles === undefined ? node : limited;
  // The second one saves a quarter of the CPU time of a start, where Node has it.
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    env: {
      PATH,
      ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
      ...(isChanged && { CHANGED_CONSTANTS: JSON.stringify({ file, values: constants }) }),
      ...env,
    },
  });
}

/** Collects the output of a stream as it arrives. */
export function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}
