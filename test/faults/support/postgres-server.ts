import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { locateCluster, type ClusterLocation } from '../../../src/embedded-postgres/data-directory';
import { findRunningServer } from '../../../src/embedded-postgres/server-identity';
import { startServer, stopServer } from '../../../src/embedded-postgres/server-start';
import { eventually } from '../../support/eventually';

const START_PATIENCE_MS = 60_000;

/** A PostgreSQL server that is not supervised: it stays in the state in which a test leaves it. */
export class PostgresServer {
  private socketDir = '';

  private constructor(
    private readonly root: string,
    private readonly location: ClusterLocation,
    private settings: Readonly<Record<string, string>>,
  ) {}

  /** @param settings PostgreSQL settings, in addition to those of an embedded server. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-faults-'));
    // PostgreSQL does not run as root. The user that runs it needs access to the directory.
    await chmod(root, 0o755);
    const location = await locateCluster(join(root, 'data'));
    const server = new PostgresServer(root, location, settings);
    await server.start(true);
    return server;
  }

  /** URL of the Unix socket, which bypasses all proxies. */
  get url(): string {
    return `postgres://app@/postgres?host=${this.socketDir}&port=5432`;
  }

  /** Path of the Unix socket, to which a proxy connects. */
  get socketPath(): string {
    return join(this.socketDir, '.s.PGSQL.5432');
  }

  /** Starts the server, after a crash or a stop, and waits until it accepts connections. */
  async start(mayCreate = false): Promise<void> {
    const { location, settings } = this;
    const attempt = await startServer({ location, settings, mayCreate, log: () => undefined });
    await eventually(async () => {
      const outcome = attempt.outcome();
      if (outcome !== null) throw new Error(`${outcome}: ${await attempt.logTail()}`);
      const running = await findRunningServer(location.clusterDir);
      this.socketDir = running?.socketDir ?? '';
      return running?.status === 'ready';
    }, START_PATIENCE_MS);
  }

  /** Creates a streaming replica from a copy of the data. Stops this server briefly. */
  async addReplica(): Promise<PostgresServer> {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-faults-'));
    await chmod(root, 0o755);
    const location = await locateCluster(join(root, 'data'));
    await this.stop();
    const copy = promisify(execFile);
    // Preserves the owners.
    await copy('cp', ['-a', this.location.clusterDir, location.clusterDir]);
    // Only the name of this file matters.
    const signal = join(location.clusterDir, 'standby.signal');
    await copy('cp', ['-a', join(location.clusterDir, 'PG_VERSION'), signal]);
    await this.letReplicate();
    await this.start();
    const from = `host=${this.socketDir} port=5432 user=app`;
    const replica = new PostgresServer(root, location, {
      ...this.settings,
      primary_conninfo: from,
    });
    await replica.start();
    return replica;
  }

  /** Makes a backup: a copy of the data, for which the server stops briefly. */
  async backUp(): Promise<void> {
    await this.stop();
    await promisify(execFile)('cp', ['-a', this.location.clusterDir, this.backupDir]);
    await this.start();
  }

  /** Replaces the data with that of the backup. */
  async restore(): Promise<void> {
    await this.stop();
    await rm(this.location.clusterDir, { recursive: true });
    // Preserves the owners.
    await promisify(execFile)('cp', ['-a', this.backupDir, this.location.clusterDir]);
    await this.start();
  }

  private get backupDir(): string {
    return join(this.root, 'backup');
  }

  /** The replica's own process connects as a user that has no entry in the map. */
  private async letReplicate(): Promise<void> {
    const file = join(this.root, 'pg_hba.conf');
    await writeFile(file, 'local all all peer map=service\nlocal replication all trust\n');
    this.settings = { ...this.settings, hba_file: file };
  }

  /** Kills all processes at once (`kill -9`), as when the machine is lost. */
  async kill(): Promise<void> {
    // Stop the postmaster first: it then starts no further children, and stays the parent by which
    // they are found. A child that still runs would prevent the next postmaster from starting.
    const pids = await this.signal('SIGSTOP');
    for (const pid of pids) send(pid, 'SIGKILL');
    await eventually(async () => (await Promise.all(pids.map(hasEnded))).every(Boolean));
  }

  /** Suspends all processes (SIGSTOP): connections stay open, and the server does not respond. */
  async freeze(): Promise<void> {
    await this.signal('SIGSTOP');
  }

  /** Resumes all processes (SIGCONT). */
  async thaw(): Promise<void> {
    await this.signal('SIGCONT');
  }

  /** Shuts the server down in fast mode, which ends all sessions. */
  async stop(): Promise<void> {
    const running = await findRunningServer(this.location.clusterDir);
    if (running) await stopServer(this.location.clusterDir, running.pid);
  }

  /** Kills the server in any state and removes its files. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.socketDir, { recursive: true, force: true });
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Signals the postmaster first, so that it does not react to its children. */
  private async signal(signal: NodeJS.Signals): Promise<number[]> {
    const running = await findRunningServer(this.location.clusterDir);
    if (!running) return [];
    send(running.pid, signal);
    const children = await childrenOf(running.pid);
    for (const pid of children) send(pid, signal);
    return [running.pid, ...children];
  }
}

/** Signals a process that may have ended meanwhile. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

interface ProcessState {
  readonly parent: number;
  readonly state: string;
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(stateOf));
  return pids.filter((_pid, index) => found[index]?.parent === parent);
}

/** A zombie process, which has not been reaped yet, holds no resources. */
async function hasEnded(pid: number): Promise<boolean> {
  return ['Z', 'X', ''].includes((await stateOf(pid)).state);
}

/** The process name may contain any character, so the other fields are located from its end. */
async function stateOf(pid: number): Promise<ProcessState> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
}
