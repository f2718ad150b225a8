import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Debian's PostgreSQL programs. They include `pg_dump` and `pg_restore`, which the embedded one
 * lacks.
 */
export const PROGRAMS = '/usr/lib/postgresql/15/bin';

/**
 * `describe` if PostgreSQL 15 is installed. Otherwise skips the suite and says so, or fails in CI,
 * which installs it.
 */
export const describeDebianPostgres: (name: string, suite: () => void) => void =
  existsSync(PROGRAMS) || process.env['CI'] === 'true'
    ? describe
    : (name, suite) => {
        describe.skip(`${name} (skipped: there is no ${PROGRAMS})`, suite);
      };

/** A PostgreSQL 15 server on a Unix socket. */
export class DebianPostgres {
  private constructor(private readonly directory: string) {}

  static async start(): Promise<DebianPostgres> {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-debian-'));
    await chmod(directory, 0o755);
    // PostgreSQL does not run as root.
    if (isRoot()) await run('chown', ['postgres', directory]);
    const data = join(directory, 'data');
    const initdb = ['-D', data, '-U', 'app', '-A', 'trust', '--encoding=UTF8', '--locale=C'];
    await runAsPostgres('initdb', initdb);
    const options = `-k ${directory} -c listen_addresses= -c fsync=off -c wal_level=logical`;
    const log = join(directory, 'log');
    await runAsPostgres('pg_ctl', ['-D', data, '-w', '-l', log, '-o', options, 'start']);
    return new DebianPostgres(directory);
  }

  url(role: string, database: string): string {
    return `postgres://${role}@/${database}?host=${this.directory}&port=5432`;
  }

  async remove(): Promise<void> {
    const data = join(this.directory, 'data');
    await runAsPostgres('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
    await rm(this.directory, { recursive: true, force: true });
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function runAsPostgres(program: string, args: readonly string[]): Promise<void> {
  const command = [join(PROGRAMS, program), ...args];
  const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];
  const [file = '', ...rest] = isRoot() ? ['setpriv', ...asPostgres, ...command] : command;
  await run(file, rest, { cwd: '/' });
}
