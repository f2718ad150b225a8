import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import type { Environment } from '../support/built-program';
import { textsOf } from './dockerfile';
import type { HandmadeImage } from './make-image';

/**
 * Runs a command as a container would: with a read-only file system except for TMPDIR, the user and
 * the working directory of the image, and only the given environment.
 */
export function runInside(
  { place, app, stage, node }: HandmadeImage,
  command: readonly string[],
  settings: Environment,
): ChildProcess {
  const temporary = join(place, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const [user = ''] = textsOf(stage, 'USER');
  const [uid = '', gid = ''] = user.split(':');
  const [name = '', ...args] = command;
  const program = name === 'node' ? node : name;
  const environment = Object.fromEntries(
    textsOf(stage, 'ENV').map((text) => text.split('=') as [string, string]),
  );
  const script = [
    `mount -t tmpfs -o mode=1777 tmpfs ${temporary}`,
    'mount -o remount,ro,bind /',
    'cd "$0"',
    `exec setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs -- "$@"`,
  ].join(' && ');
  return spawn('unshare', ['--mount', 'sh', '-c', script, app, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', TMPDIR: temporary, ...environment, ...settings },
  });
}

/** Returns the reason why this machine cannot run such a process; undefined if it can. */
export function whyNoContainer(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    execFileSync('unshare', ['--mount', 'mount', '-o', 'remount,ro,bind', '/'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Forwards a port to PostgreSQL's Unix socket, which the image's user cannot access. */
export async function openPort(databaseUrl: string): Promise<{ server: Server; url: string }> {
  const { searchParams, pathname, username } = new URL(databaseUrl.replace('@/', '@host/'));
  const path = `${searchParams.get('host') ?? ''}/.s.PGSQL.${searchParams.get('port') ?? '5432'}`;
  const server = createServer((client) => {
    const database = connect(path);
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) {
      socket.on('error', () => {
        client.destroy();
        database.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `postgres://${username}@127.0.0.1:${String(port)}${pathname}` };
}
