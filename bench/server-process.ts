import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LongestDelay } from './delay-watch';

export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** Returns the longest delay of the event loop of the service since the last call. */
  longestDelay(): Promise<LongestDelay>;
  stop(): Promise<void>;
}

/**
 * Starts a server of this folder in its own process, and waits until it reports its port.
 * @param directory The `dist` directory of another build, to start its server.
 */
export async function startServer(
  script: 'bare-server' | 'service-process',
  env: Readonly<Record<string, string>>,
  directory?: string,
): Promise<ServerProcess> {
  const folder = directory === undefined ? __dirname : join(directory, 'bench');
  const child: ChildProcess = fork(join(folder, `${script}.js`), {
    env: { ...process.env, ...env },
  });
  const port = await Promise.race([
    once(child, 'message').then(([message]) => Number(message)),
    once(child, 'exit').then(() => Promise.reject(new Error(`${script} did not start.`))),
  ]);
  return {
    port,
    pid: child.pid ?? 0,
    longestDelay: async () => {
      const answered = once(child, 'message');
      child.send('longest-delay');
      return (await answered)[0] as LongestDelay;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
