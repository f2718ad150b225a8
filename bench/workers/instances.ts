import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf, cpuMicros } from '../cpu-time';

const START_MS = 60_000;

/** A server that may have several processes on one port. */
export class Instance {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  /** Starts the service as an operator does. @param log File of its log. */
  static async ofService(
    env: Readonly<Record<string, string>>,
    workers: number,
    log: string,
  ): Promise<Instance> {
    const child = spawn(process.execPath, [join(__dirname, '../../src/main.js')], {
      env: { ...process.env, ...env, HOST: '127.0.0.1', PORT: '0', WORKERS: String(workers) },
      stdio: ['ignore', openSync(log, 'w'), 'inherit'],
    });
    const deadlineMs = performance.now() + START_MS;
    while (performance.now() < deadlineMs && child.exitCode === null) {
      const line = /^\{.*"msg":"listening"\}$/m.exec(readFileSync(log, 'utf8'))?.[0];
      if (line !== undefined) {
        return new Instance(Number(new URL((JSON.parse(line) as { url: string }).url).port), child);
      }
      await delay(50);
    }
    throw new Error('The service did not start.');
  }

  /** Starts bare servers on one port. */
  static async ofBare(env: Readonly<Record<string, string>>, processes: number): Promise<Instance> {
    const child = fork(join(__dirname, 'bare-cluster.js'), {
      env: { ...process.env, ...env, BARE_PROCESSES: String(processes) },
    });
    const [port] = (await once(child, 'message')) as [number];
    return new Instance(port, child);
  }

  /** CPU time of the process that was started, and of its children, in microseconds. */
  cpu(): { readonly first: number; readonly children: number } {
    const pid = this.child.pid ?? 0;
    return { first: cpuMicros(pid), children: cpuOfChildren(pid) };
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Returns the CPU time of the children of a process, in microseconds. */
export function cpuOfChildren(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMicros(child), 0);
}
