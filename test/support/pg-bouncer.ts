import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnAs } from '../../src/embedded-postgres/program';
import { chooseIdentity } from '../../src/embedded-postgres/server-identity';
import { eventually } from './eventually';
import { onDatabase } from './database-url';

/** Path of Debian's package. */
const PROGRAM = '/usr/sbin/pgbouncer';
/**
 * `describe` if PgBouncer is installed. Otherwise skips the suite and says so, or fails in CI,
 * which installs it.
 */
export const describePgBouncer: (name: string, suite: () => void) => void =
  existsSync(PROGRAM) || process.env['CI'] === 'true'
    ? describe
    : (name, suite) => {
        describe.skip(`${name} (skipped: there is no ${PROGRAM})`, suite);
      };

const isTaking = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });

/** Returns the directory of the socket, the port and the role of a server's URL. */
function addressOf(serverUrl: string): { host: string; port: string; user: string } {
  const { searchParams, username } = new URL(serverUrl.replace('@/', '@host/'));
  const of = (name: string): string => searchParams.get(name) ?? '';
  return { host: of('host'), port: of('port'), user: username };
}

/** A PgBouncer with only the required settings, or with a configuration of the caller. */
export class PgBouncer {
  private constructor(
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  /**
   * @param serverUrl URL of a PostgreSQL server that listens on a Unix socket, as that of the tests
   *   does.
   * @param settings Additional lines of its configuration.
   */
  static async start(
    serverUrl: string,
    mode: 'transaction' | 'session' = 'transaction',
    settings = '',
  ): Promise<PgBouncer> {
    const { host, port, user } = addressOf(serverUrl);
    return PgBouncer.startWith(
      serverUrl,
      (directory) => `[databases]
* = host=${host} port=${port} user=${user}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${directory}
auth_type = any
pool_mode = ${mode}
default_pool_size = 10
max_client_conn = 500
${settings}
`,
    );
  }

  /**
   * @param configure Returns the configuration, which must name the directory as `unix_socket_dir`.
   * @param users Contents of `users.txt` in the directory.
   */
  static async startWith(
    serverUrl: string,
    configure: (directory: string) => string,
    users = '',
  ): Promise<PgBouncer> {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-bouncer-'));
    await chmod(directory, 0o755);
    const file = join(directory, 'pgbouncer.ini');
    await writeFile(file, configure(directory));
    await writeFile(join(directory, 'users.txt'), users);
    // PgBouncer does not run as root, like PostgreSQL. It needs access to the server's directory.
    const identity = await chooseIdentity(directory, [addressOf(serverUrl).host, directory]);
    await chown(directory, identity.owner.uid, identity.owner.gid);
    const child = spawnAs(identity, PROGRAM, ['-q', file], { stdio: 'ignore' });
    const bouncer = new PgBouncer(directory, child);
    // The socket file exists shortly before connections are accepted.
    await eventually(() => isTaking(join(directory, '.s.PGSQL.6432')));
    return bouncer;
  }

  /** Returns the URL of the database of `directUrl` through PgBouncer. */
  through(directUrl: string, user = 'app'): string {
    const database = /^[^/]*\/\/[^/]*\/([^?]*)/.exec(directUrl)?.[1] ?? '';
    return onDatabase(`postgres://${user}@/x?host=${this.directory}&port=6432`, database);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }
}
