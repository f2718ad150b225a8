import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  locateCluster,
  type ClusterLocation,
} from '../../../src/platform/embedded-postgres/cluster-location';
import { findRunningServer } from '../../../src/platform/embedded-postgres/postmaster-file';
import { startServer } from '../../../src/platform/embedded-postgres/server-start';
import { stopServer } from '../../../src/platform/embedded-postgres/server-stop';
import { eventually } from '../../support/eventually';

const START_PATIENCE_MS = 60_000;

/** A PostgreSQL of one's own, which nothing looks after: it stays as it was left. */
export class PostgresServer {
  private socketDir = '';

  private constructor(
    private readonly root: string,
    private readonly location: ClusterLocation,
    private settings: Readonly<Record<string, string>>,
  ) {}

  /** @param settings Of PostgreSQL, beside those that an embedded one has. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-faults-'));
    // PostgreSQL does not run as root; whoever runs it instead must get in.
    await chmod(root, 0o755);
    const location = await locateCluster(join(root, 'data'));
    const server = new PostgresServer(root, location, settings);
    await server.start(true);
    return server;
  }

  /** Over its Unix socket, and so past every proxy. */
  get url(): string {
    return `postgres://app@/postgres?host=${this.socketDir}&port=5432`;
  }

  /** Of its Unix socket, for a proxy to connect to. */
  get socketPath(): string {
    return join(this.socketDir, '.s.PGSQL.5432');
  }

  /** Starts it, after a crash or a stop, and waits until it takes connections. */
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

  /** A streaming replica, made of a copy while this one is stopped for a moment. */
  async addReplica(): Promise<PostgresServer> {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-faults-'));
    await chmod(root, 0o755);
    const location = await locateCluster(join(root, 'data'));
    await this.stop();
    const copy = promisify(execFile);
    // With the owners as they are.
    await copy('cp', ['-a', this.location.clusterDir, location.clusterDir]);
    // Any file of that name says what it is.
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

  /** The replica's own process connects, whose user has no name to be known by. */
  private async letReplicate(): Promise<void> {
    const file = join(this.root, 'pg_hba.conf');
    await writeFile(file, 'local all all peer map=service\nlocal replication all trust\n');
    this.settings = { ...this.settings, hba_file: file };
  }

  /** `kill -9` of all its processes at once, as when the machine is lost. */
  async kill(): Promise<void> {
    // Stopped first, it begins nothing more, and remains the parent by which the others are found:
    // one that is still at work when the next postmaster starts would keep that from starting.
    const pids = await this.signal('SIGSTOP');
    for (const pid of pids) send(pid, 'SIGKILL');
    await eventually(async () => (await Promise.all(pids.map(hasEnded))).every(Boolean));
  }

  /** SIGSTOP of all its processes: its connections stay open, and nothing answers. */
  async freeze(): Promise<void> {
    await this.signal('SIGSTOP');
  }

  /** SIGCONT. */
  async thaw(): Promise<void> {
    await this.signal('SIGCONT');
  }

  /** A fast shutdown: sessions are ended. */
  async stop(): Promise<void> {
    const running = await findRunningServer(this.location.clusterDir);
    if (running) await stopServer(this.location.clusterDir, running.pid);
  }

  /** Ends it, whatever state it is in, and removes its files. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.socketDir, { recursive: true, force: true });
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
  }

  /** To the postmaster first: it is to notice nothing of what becomes of its children. */
  private async signal(signal: NodeJS.Signals): Promise<number[]> {
    const running = await findRunningServer(this.location.clusterDir);
    if (!running) return [];
    send(running.pid, signal);
    const children = await childrenOf(running.pid);
    for (const pid of children) send(pid, signal);
    return [running.pid, ...children];
  }
}

/** To one that may have ended meanwhile. */
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

/** One that has ended and only waits to be collected holds nothing any more. */
async function hasEnded(pid: number): Promise<boolean> {
  return ['Z', 'X', ''].includes((await stateOf(pid)).state);
}

/** A process's name may hold anything, so that what follows it is found from the end. */
async function stateOf(pid: number): Promise<ProcessState> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
}
