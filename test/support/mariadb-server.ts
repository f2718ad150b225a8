import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Connection, createConnection } from 'mysql2/promise';
import { eventually } from './eventually';

/** Path of Debian's package. */
const PROGRAM = '/usr/sbin/mariadbd';
const INSTALL = '/usr/bin/mariadb-install-db';
/** A server that was killed first repairs its files. */
const PATIENCE_MS = 60_000;

/** Whether tests run with MariaDB. In CI they fail if it is not installed. */
export const hasMariadb = existsSync(PROGRAM) || process.env['CI'] === 'true';

/**
 * Describes a suite if MariaDB is installed. Otherwise skips it and says so, or fails in CI, which
 * installs it.
 */
export function describeMariadb(name: string, suite: () => void): void {
  if (hasMariadb) describe(name, suite);
  else describe.skip(`${name} (skipped: there is no ${PROGRAM})`, suite);
}

/** Where a server is and who may use it. */
export type MariadbLogin = Readonly<Record<'user' | 'password' | 'database', string>> & {
  readonly port: number;
};

/** A MariaDB server with an empty database, and a user who has all rights on it and no others. */
export class MariadbServer implements MariadbLogin {
  readonly user: string = 'datagrid';
  readonly password: string = "pä'ss\\word";
  readonly database: string = 'Ware"house`1';
  private child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    readonly port: number,
    private readonly options: readonly string[],
  ) {}

  /**
   * @param options Options of the server, such as `--local-infile=0`.
   * @param prepare Writes files for the server, and returns options that name them.
   */
  static async start(
    options: readonly string[] = [],
    prepare: (directory: string) => Promise<readonly string[]> = () => Promise.resolve([]),
  ): Promise<MariadbServer> {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-mariadb-'));
    // A server that starts removes temporary files of others in its directory.
    const temporary = join(directory, 'tmp');
    await mkdir(temporary);
    const own = ['--no-defaults', `--datadir=${join(directory, 'data')}`, `--tmpdir=${temporary}`];
    const install = ['--auth-root-authentication-method=normal', '--skip-test-db'];
    const user = `--user=${userInfo().username}`;
    await promisify(execFile)(INSTALL, [...own, user, ...install], { cwd: directory });
    const all = [...own, user, ...options, ...(await prepare(directory))];
    const server = new MariadbServer(directory, await freePort(), all);
    await server.restart();
    await server.asRoot(async (root) => {
      const name = `\`${server.database.replaceAll('`', '``')}\``;
      await root.query(`CREATE DATABASE ${name}`);
      await root.query('CREATE USER ? IDENTIFIED BY ?', [server.user, server.password]);
      await root.query(`GRANT ALL PRIVILEGES ON ${name}.* TO ?`, [server.user]);
    });
    return server;
  }

  /** URL in the form that `TcpBridge` takes. */
  get url(): string {
    const [user, password, database] = [this.user, this.password, this.database];
    const credentials = `${user}:${encodeURIComponent(password)}`;
    return `postgres://${credentials}@127.0.0.1:${String(this.port)}/${encodeURIComponent(database)}`;
  }

  /** Starts the server on the same port with the same data. Kills it before, if it runs. */
  async restart(): Promise<void> {
    await this.kill();
    const child = spawn(
      PROGRAM,
      [
        ...this.options,
        ...[`--socket=${join(this.directory, 'socket')}`, `--port=${String(this.port)}`],
        ...['--bind-address=127.0.0.1', '--skip-name-resolve', '--innodb-buffer-pool-size=64M'],
        // A killed process loses nothing without it. Only a machine that fails does.
        '--innodb-flush-log-at-trx-commit=2',
      ],
      { cwd: this.directory, stdio: ['ignore', 'ignore', 'ignore'] },
    );
    this.child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${PROGRAM} has ended.`);
      return this.asRoot(() => Promise.resolve(true)).catch(() => false);
    }, PATIENCE_MS);
  }

  /** Connects as the user of the service. */
  connect(): Promise<Connection> {
    const { port, user, password, database } = this;
    return createConnection({
      host: '127.0.0.1',
      ...{ port, user, password, database, charset: 'utf8mb4', timezone: 'Z' },
      ...{ dateStrings: true, supportBigNumbers: true, decimalNumbers: false },
    });
  }

  /** Runs statements with all rights. */
  async asRoot<T>(work: (root: Connection) => Promise<T>): Promise<T> {
    const root = await createConnection({
      socketPath: join(this.directory, 'socket'),
      user: 'root',
    });
    try {
      return await work(root);
    } finally {
      root.destroy();
    }
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
