import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, startBuilt, type Environment, type StartOptions } from '../support/built-program';
import { eventually } from '../support/eventually';
import type { TestSettings } from '../support/test-settings';

/** The maximum time for a start, on a machine that is busy with other tests. */
const START_PATIENCE_MS = 100_000;

/** The built service as a process of its own, as `npm start` runs it. */
export class ServiceProcess {
  readonly stdout: () => string;
  readonly stderr: () => string;
  private static readonly all: ServiceProcess[] = [];
  private readonly ended: Promise<unknown>;

  private constructor(readonly child: ChildProcess) {
    [this.stdout, this.stderr] = [collect(child.stdout), collect(child.stderr)];
    this.ended = once(child, 'close');
  }

  /** Starts it on a free port, unless the settings say otherwise. */
  static start(settings: TestSettings, options?: StartOptions): ServiceProcess {
    const child = startBuilt('main.js', [], { PORT: '0', ...settings }, options);
    const service = new ServiceProcess(child);
    ServiceProcess.all.push(service);
    return service;
  }

  /** Kills processes that a failed test has left. */
  static async killAll(): Promise<void> {
    const left = ServiceProcess.all.filter(({ child }) => child.exitCode === null);
    await Promise.all(left.map((service) => service.stop('SIGKILL')));
  }

  /** Starts it, and waits until it listens. */
  static async ready(settings: TestSettings): Promise<ServiceProcess> {
    const service = ServiceProcess.start(settings);
    await service.origin();
    return service;
  }

  /** Returns the log lines on standard output. */
  log(): Record<string, unknown>[] {
    // The text after the last line break is an incomplete line.
    const lines = this.stdout().split('\n').slice(0, -1);
    return lines.filter((line) => /^\{.*\}$/.test(line)).map((line) => JSON.parse(line));
  }

  /** Returns everything on standard output except for the log. */
  printed(): string {
    const lines = this.stdout().split('\n');
    return lines.filter((line) => !/^\{.*\}$/.test(line)).join('\n');
  }

  /** Waits until the service listens and returns its origin. */
  async origin(): Promise<string> {
    const line = await eventually(() => {
      if (this.child.exitCode !== null) throw new Error(`The service has ended: ${this.stderr()}`);
      return this.log().find(({ msg }) => msg === 'listening');
    }, START_PATIENCE_MS);
    return String(line['url']);
  }

  /** Sends a signal and returns the exit status once the process has ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.exit();
  }

  async exit(): Promise<number | null> {
    await this.ended;
    return this.child.exitCode;
  }
}

/** A directory for an embedded database, with the processes that share it. */
export class Installation {
  private constructor(private readonly root: string) {}

  static async create(): Promise<Installation> {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-service-'));
    // PostgreSQL does not run as root. The user that runs it must be able to enter.
    await chmod(root, 0o755);
    return new Installation(root);
  }

  get settings(): Environment {
    return { DATA_DIR: join(this.root, 'data') };
  }

  start(settings: TestSettings = {}, options?: StartOptions): ServiceProcess {
    return ServiceProcess.start({ ...this.settings, ...settings }, options);
  }

  async ready(settings: TestSettings = {}): Promise<ServiceProcess> {
    const service = this.start(settings);
    await service.origin();
    return service;
  }

  /** Returns the process id of the database server, or undefined if none is running. */
  async postgresPid(): Promise<number | undefined> {
    const file = join(this.root, 'data/postgres/postmaster.pid');
    const text = await readFile(file, 'utf8').catch(() => '');
    const pid = Number(text.split('\n')[0]);
    return pid > 0 && isAlive(pid) ? pid : undefined;
  }

  /** Reads the log of PostgreSQL. */
  postgresLog(): Promise<string> {
    return readFile(join(this.root, 'data/postgres.log'), 'utf8');
  }

  /** Removes the directory after its services have ended. */
  async remove(): Promise<void> {
    const pid = await this.postgresPid();
    if (pid !== undefined) {
      process.kill(pid, 'SIGQUIT');
      await eventually(() => !isAlive(pid));
    }
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
