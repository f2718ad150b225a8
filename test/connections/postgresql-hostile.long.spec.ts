import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetWriter } from '../../src/destinations/destination';
import { postgresqlError } from '../../src/destinations/postgresql/postgresql-error';
import { PostgresqlDestination } from '../../src/destinations/postgresql/postgresql-kind';
import { readPostgresqlSettings } from '../../src/destinations/postgresql/postgresql-settings';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import {
  message,
  int,
  READY,
  CLEARTEXT,
  DONE_AND_READY,
  COPY_IN,
  FAILED,
  columns,
  row,
  rows,
} from './postgresql-messages';

const TABLE = {
  id: '01a20b88-836c-7087-8461-dc83636ac817',
  name: 't',
  deletions: 'delete',
} as const;

/** Answers a statement; `null` for the usual answer of one that returns no rows. */
type Answer = (statement: string, socket: Socket) => Buffer | null;

let server: Server;
let sockets: Socket[] = [];
let received: string[] = [];

async function listen(answer: Answer, welcome?: (socket: Socket) => void): Promise<number> {
  received = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    let isWelcome = false;
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      received.push(text);
      if (welcome) welcome(socket);
      else if (!isWelcome) socket.write(Buffer.concat([message('R', int(0, 4)), READY]));
      else if (!text.startsWith('X')) socket.write(answer(text, socket) ?? DONE_AND_READY);
      isWelcome = true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeEach(() => {
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

function destinationAt(port: number, password: string | null = 'secret'): PostgresqlDestination {
  const given = { host: '127.0.0.1', port, database: 'd', user: 'u', schema: 's', tls: false };
  return new PostgresqlDestination({
    settings: readPostgresqlSettings(given),
    password,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
    timeouts: { connect: 500, part: 300, table: 300, report: 100 },
  });
}

const openAt = async (answer: Answer): Promise<TargetWriter> =>
  destinationAt(await listen(answer)).open(TABLE);

async function* lines(count: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) yield await Promise.resolve(Buffer.alloc(65_536, '1'));
}

/** Returns an answer to the statements of a claim. */
const claimAnswer =
  (token: string): Answer =>
  (statement) => {
    if (statement.includes('SELECT token')) return rows(['token'], [token]);
    return statement.includes('to_regclass') ? rows(['one'], ['1']) : null;
  };

describe('a PostgreSQL server that is hostile', () => {
  const before = { ...process.env };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pgpass-'));
    const file = join(folder, 'pgpass');
    writeFileSync(file, '*:*:*:*:of-the-file\n', { mode: 0o600 });
    Object.assign(process.env, {
      PGPASSWORD: 'of-the-service',
      PGPASSFILE: file,
      PGOPTIONS: '-c search_path=of_the_service',
      PGAPPNAME: 'of-the-service',
      PGREPLICATION: 'database',
      PGSSLNEGOTIATION: 'direct',
      PGSSLMODE: 'require',
      PGCLIENT_ENCODING: 'latin1',
    });
  });

  afterEach(() => {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('PG') && !(name in before)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, before);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [null, ''],
    ['', ''],
    ['of-the-owner', 'of-the-owner'],
  ])('gets nothing of the environment of the service with the password %j', async (given, sent) => {
    const port = await listen(
      () => null,
      (socket) => {
        if (received.length === 1) socket.write(CLEARTEXT);
        else socket.destroy();
      },
    );
    const opened = destinationAt(port, given).open(TABLE);
    await expect(opened).rejects.toMatchObject({ kind: 'unavailable' });
    const [startup = '', password] = received;
    expect(startup.slice(8).split('\0').slice(0, -2)).toEqual([
      'user',
      'u',
      'database',
      'd',
      'application_name',
      `datagrid ${TABLE.id}`,
      'client_encoding',
      'UTF8',
    ]);
    expect(password).toBe(message('p', `${sent}\0`).toString('latin1'));
  });
});

describe('the time limit of a PostgreSQL statement', () => {
  it('ends a session whose statements fail without an end', async () => {
    const port = await listen((statement) => (statement.includes('BEGIN') ? FAILED : null));
    const tested = destinationAt(port).test();
    await expect(tested).rejects.toMatchObject({ kind: 'inconsistent' });
    const [socket] = sockets;
    if (socket && !socket.destroyed) await once(socket, 'close');
  });

  it('ends a statement that follows one without an end', async () => {
    const writer = await openAt(() => FAILED);
    await expect(writer.exists()).rejects.toMatchObject({ kind: 'inconsistent' });
    const second = writer.exists();
    await expect(second).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(second).rejects.toThrow('The connection timed out.');
    await writer.close();
  });

  it.each([
    ['that the server never accepts', Buffer.alloc(0)],
    ['whose lines the server never reads', COPY_IN],
  ])('ends a COPY %s', async (_, accepted) => {
    const writer = await openAt((statement, socket) => {
      if (!statement.includes('COPY')) return null;
      socket.pause();
      return accepted;
    });
    const replaced = writer.replace([], { from: 0, to: 9 }, lines(500), 'state');
    await expect(replaced).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(replaced).rejects.toThrow('The connection timed out.');
    await writer.close();
  });

  it('does not count the time of the lines', async () => {
    const writer = await openAt((statement) => (statement.includes('COPY') ? COPY_IN : null));
    const untilMs = performance.now() + 600;
    async function* slow(): AsyncGenerator<Buffer> {
      while (performance.now() < untilMs)
        yield await new Promise((resolve) => setImmediate(resolve, Buffer.alloc(0)));
      yield Buffer.from('1,1\n');
    }
    await writer.replace([], { from: 0, to: 9 }, slow(), 'state');
    await writer.close();
  });

  it('leaves a COPY that the server ends early', async () => {
    const writer = await openAt((statement) =>
      statement.includes('COPY') ? Buffer.concat([COPY_IN, DONE_AND_READY]) : null,
    );
    const replaced = writer.replace([], { from: 0, to: 9 }, lines(500), 'state');
    await expect(replaced).rejects.toMatchObject({ kind: 'unavailable' });
    await writer.close();
  });
});

describe('the response of a PostgreSQL server', () => {
  it.each([
    ['rows', Buffer.alloc(20_000 * 7, message('D', Buffer.alloc(2)))],
    ['messages', Buffer.alloc(2_000 * 5, message('N', ''))],
    ['columns', columns('a', 'b', 'c', 'd', 'e')],
    ['bytes', message('D', Buffer.alloc(2 * 1024 * 1024)).subarray(0, 1_500_000)],
  ])('is bounded in %s', async (_, sent) => {
    const writer = await openAt(() => Buffer.concat([columns(), sent]));
    const found = writer.exists();
    await expect(found).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { message: 'The server sent too much.' },
    });
    await writer.close();
  });

  it('has no more revisions than were asked for', async () => {
    const sent = rows(
      ['id', 'revision'],
      ...Array.from({ length: 17_000 }, (_, id) => [String(id), '1']),
    );
    const writer = await openAt((statement) => (statement.includes('revision') ? sent : null));
    const read = writer.readRevisions({ from: 0, to: 16_383 });
    await expect(read).rejects.toMatchObject({ cause: { message: 'The server sent too much.' } });
    await writer.close();
  });

  it.each([
    ['several results', Buffer.concat([rows(['a'], ['1']).subarray(0, -6), rows(['a'], ['1'])])],
    ['rows without columns', Buffer.concat([row('1'), DONE_AND_READY])],
    ['an unknown message', message('!', 'x')],
    ['a truncated message', message('T', '')],
  ])('is a failure of the database if it has %s', async (_, sent) => {
    const writer = await openAt(() => sent);
    await expect(writer.exists()).rejects.toMatchObject({ kind: 'unavailable' });
    await writer.close();
  });

  it.each([
    ['an id that is not a number', rows(['id', 'revision'], ['x', '1'])],
    ['no revision', rows(['id'], ['1'])],
  ])('is a failure of the database if it has %s', async (_, sent) => {
    const writer = await openAt((statement) => (statement.includes('revision') ? sent : null));
    const read = writer.readRevisions({ from: 0, to: 9 });
    await expect(read).rejects.toMatchObject({ kind: 'unavailable' });
    await writer.close();
  });

  it.each(['-1', '8589934593', '1e3', 'NaN', '9'.repeat(30)])(
    'has no claim with the token %s',
    async (token) => {
      const writer = await openAt(claimAnswer(token));
      const claimed = writer.claim(1);
      await expect(claimed).rejects.toMatchObject({ kind: 'configuration' });
      await expect(claimed).rejects.toThrow(
        'The table _datagrid_sync has a token that is not valid. Delete its row, or drop the table; the datagrid is then loaded again.',
      );
      await writer.close();
    },
  );

  it('has a claim with the highest token', async () => {
    const writer = await openAt(claimAnswer('8589934592'));
    await expect(writer.claim(1)).rejects.toMatchObject({ token: 2 ** 33 });
    await writer.close();
  });
});

describe('the text of a PostgreSQL server', () => {
  it('is short and has no control characters in messages and causes', () => {
    const text = `a\0b\n${'x'.repeat(1_000_000)}`;
    const error = postgresqlError({
      message: text,
      code: text,
      severity: text,
      constraint: text,
      table: text,
    });
    const { message: shown, cause } = error;
    expect(shown.length).toBeLessThan(400);
    const logged = JSON.stringify({ ...(cause as object), message: (cause as Error).message });
    expect(logged.length).toBeLessThan(600);
    expect(shown + logged).not.toMatch(/\p{Cc}|\\u0000/u);
    expect(shown).toContain('a b x');
  });

  it('is not taken for the code of a failure of the service', () => {
    expect(postgresqlError({ message: 'm', code: 'constructor', severity: 'ERROR' })).toMatchObject(
      {
        kind: 'unavailable',
        message: 'The database failed. PostgreSQL: m',
      },
    );
  });
});
