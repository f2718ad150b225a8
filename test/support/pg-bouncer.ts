import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnAs } from '../../src/platform/embedded-postgres/program';
import { chooseIdentity } from '../../src/platform/embedded-postgres/server-identity';
import { eventually } from './eventually';
import { onDatabase } from './database-url';

/** Debian's. */
const PROGRAM = '/usr/sbin/pgbouncer';
/**
 * `describe` where PgBouncer is installed. Elsewhere it is skipped, and says so; in CI, which
 * installs it, it fails.
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

/** A PgBouncer with nothing set but what it cannot be without. */
export class PgBouncer {
  private constructor(
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  /**
   * @param serverUrl Of a PostgreSQL that listens on a Unix socket, as the tests' does.
   * @param settings Further lines of its configuration.
   */
  static async start(
    serverUrl: string,
    mode: 'transaction' | 'session' = 'transaction',
    settings = '',
  ): Promise<PgBouncer> {
    const { searchParams, username } = new URL(serverUrl.replace('@/', '@host/'));
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-bouncer-'));
    await chmod(directory, 0o755);
    const file = join(directory, 'pgbouncer.ini');
    await writeFile(
      file,
      `[databases]
* = host=${searchParams.get('host') ?? ''} port=${searchParams.get('port') ?? ''} user=${username}
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
    // It refuses to be root, as PostgreSQL does; and it has to get into the server's directory.
    const identity = await chooseIdentity(directory, [searchParams.get('host') ?? '', directory]);
    await chown(directory, identity.owner.uid, identity.owner.gid);
    const child = spawnAs(identity, PROGRAM, ['-q', file], { stdio: 'ignore' });
    const bouncer = new PgBouncer(directory, child);
    // The socket is there a moment before anybody is let in.
    await eventually(() => isTaking(join(directory, '.s.PGSQL.6432')));
    return bouncer;
  }

  /** The same database as `directUrl`, through it. */
  through(directUrl: string): string {
    const database = /^[^/]*\/\/[^/]*\/([^?]*)/.exec(directUrl)?.[1] ?? '';
    return onDatabase(`postgres://app@/x?host=${this.directory}&port=6432`, database);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }
}
