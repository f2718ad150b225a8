import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TargetColumn, TargetTable } from '../../src/destinations/destination';
import { MysqlDestination } from '../../src/destinations/mysql/mysql-kind';
import type { MysqlAccess } from '../../src/destinations/mysql/mysql-session.repository';
import { newAuthority, newPair } from '../support/certificates';
import { eventually } from '../support/eventually';
import { describeMariadb, MariadbServer } from '../support/mariadb-server';
import { TcpBridge } from '../support/tcp-bridge';
import { csv } from './contract-lines';
import { accessOf, quoted, readTable } from './mysql-server';

const text: TargetColumn = { id: 1, name: 'text', type: 'text' };
const flag: TargetColumn = { id: 2, name: 'flag', type: 'boolean' };
const at: TargetColumn = { id: 3, name: 'at', type: 'timestamp' };
const price: TargetColumn = { id: 4, name: 'price', type: 'decimal' };

const newTable = (deletions: 'delete' | 'mark' = 'delete'): TargetTable => ({
  id: randomUUID(),
  name: `t_${randomUUID().slice(0, 8)}`,
  deletions,
});

describeMariadb('a MariaDB destination, apart from the contract', () => {
  let server: MariadbServer;
  let bridge: TcpBridge;

  beforeAll(async () => {
    server = await MariadbServer.start();
    bridge = await TcpBridge.start(server.url);
  });

  afterAll(async () => {
    await bridge.close();
    await server.remove();
  });

  const throughBridge = (changes: Partial<MysqlAccess> = {}): MysqlDestination =>
    new MysqlDestination({ ...accessOf(server, { port: bridge.port }), ...changes });

  const read = async (table: TargetTable): Promise<unknown> => {
    const reader = await server.connect();
    try {
      return await readTable(reader, table.name);
    } finally {
      reader.destroy();
    }
  };

  const sql = async (statement: string): Promise<void> => {
    const connection = await server.connect();
    try {
      await connection.query(statement);
    } finally {
      connection.destroy();
    }
  };

  it('gives up on a server that does not respond', async () => {
    const timeouts = { connect: 5_000, part: 200, table: 200 };
    const writer = await throughBridge({ timeouts }).open(newTable());
    await writer.claim(1);
    bridge.silence();
    const begun = writer.beginLoad([], 'begun');
    await expect(begun).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(begun).rejects.toThrow('The connection timed out.');
    await writer.close();
  });

  it('takes a table over from a worker that is frozen in a transaction', async () => {
    const destination = throughBridge();
    const table = newTable();
    const [frozen, other] = [await destination.open(table), await destination.open(table)];
    await frozen.claim(1);
    await frozen.beginLoad([text], 'begun');
    const worker = new EventEmitter();
    const isFrozen = once(worker, 'frozen');
    async function* rows(): AsyncGenerator<Buffer> {
      yield Buffer.from('1,1,a\n');
      worker.emit('frozen');
      await once(worker, 'thawed');
      yield Buffer.from('2,1,b\n');
    }
    const late = frozen.append([text], rows(), 'late');
    const failed = expect(late).rejects.toMatchObject({ kind: 'unavailable' });
    await isFrozen;
    await expect(other.claim(2)).resolves.toBe('begun');
    await other.append([text], csv([['3', '1', 'c']]), 'taken over');
    worker.emit('thawed');
    await failed;
    await other.finishLoad([text], 'loaded');
    await expect(other.readRevisions({ from: 1, to: 9 })).resolves.toEqual([
      { id: 3, revision: 1 },
    ]);
    await frozen.close();
    await other.close();
  });

  it('ends a late change of columns for the worker that claims the table', async () => {
    const destination = throughBridge();
    const table = newTable();
    const old = await destination.open(table);
    await old.claim(1);
    await old.beginLoad([text], 'begun');
    await old.append([text], csv([['1', '1', 'a']]), 'appended');
    await old.finishLoad([text], 'loaded');
    const reader = await server.connect();
    await reader.query('START TRANSACTION');
    await reader.query(`SELECT * FROM ${quoted(table.name)}`);
    // The reader makes the change wait.
    const late = old.changeColumns({ removed: [], widened: [], added: [flag] }, 'changed');
    const failed = expect(late).rejects.toMatchObject({ kind: 'unavailable' });
    await eventually(() =>
      server.asRoot(async (root) => {
        const [rows] = await root.query(
          "SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE%'",
        );
        return (rows as unknown[]).length > 0;
      }),
    );
    const current = await destination.open(table);
    await expect(current.claim(2)).resolves.toBe('loaded');
    await failed;
    reader.destroy();
    await current.merge([text], csv([['2', '2', 'false', 'b']]), 'merged');
    await expect(read(table)).resolves.toEqual([
      { _id: 1, _revision: 1, text: 'a' },
      { _id: 2, _revision: 2, text: 'b' },
    ]);
    await old.close();
    await current.close();
  });

  it('stops an idle worker whose table another one has claimed', async () => {
    const destination = throughBridge();
    const table = newTable();
    const [old, current] = [await destination.open(table), await destination.open(table)];
    await old.claim(1);
    await current.claim(5);
    await expect(old.beginLoad([text], 'late')).rejects.toMatchObject({ token: 5 });
    await expect(current.claim(6)).resolves.toBeNull();
    await old.close();
    await current.close();
  });

  it('prints values that become texts as a sync does, also of marked rows', async () => {
    const table = newTable('mark');
    const writer = await throughBridge().open(table);
    await writer.claim(1);
    const columns = [flag, at, price];
    await writer.beginLoad(columns, 'begun');
    const cells = ['true', '2026-11-21T09:30:00.120Z', '1200.50'];
    await writer.append(
      columns,
      csv([
        ['1', '1', ...cells],
        ['2', '1', 'false', null, '-7'],
      ]),
      'a',
    );
    await writer.finishLoad(columns, 'loaded');
    const widened = columns.map((column) => ({ ...column, type: 'text' }) as const);
    await writer.changeColumns({ removed: [], widened, added: [] }, 'changed');
    await expect(read(table)).resolves.toEqual([
      { _id: 1, _revision: 1, flag: 'true', at: '2026-11-21T09:30:00.120Z', price: '1200.5' },
      { _id: 2, _revision: 1, flag: 'false', at: null, price: '-7' },
    ]);
    await writer.beginLoad(widened, 'again');
    await writer.finishLoad(widened, 'reloaded');
    await expect(read(table)).resolves.toMatchObject([
      { _id: 1, flag: 'true', price: '1200.5', _deleted_at: true },
      { _id: 2, flag: 'false', price: '-7', _deleted_at: true },
    ]);
    await writer.close();
  });

  it('leaves the columns and the state as they were if a change of columns fails', async () => {
    const table = newTable();
    const writer = await throughBridge().open(table);
    await writer.claim(1);
    await writer.beginLoad([text], 'begun');
    await writer.append([text], csv([['1', '1', 'a']]), 'appended');
    await writer.finishLoad([text], 'loaded');
    const many = Array.from({ length: 1_100 }, (_, n) => ({
      ...price,
      id: n,
      name: `p${String(n)}`,
    }));
    const changed = writer.changeColumns({ removed: [text], widened: [], added: many }, 'changed');
    await expect(changed).rejects.toMatchObject({ kind: 'configuration' });
    await expect(changed).rejects.toThrow('The table has more columns than the server allows.');
    await writer.merge([text], csv([['2', '2', 'false', 'b']]), 'merged');
    await expect(read(table)).resolves.toHaveLength(2);
    await writer.close();
  });

  it('notices that somebody has changed the type of a column', async () => {
    const table = newTable();
    const writer = await throughBridge().open(table);
    await writer.claim(1);
    await writer.beginLoad([price], 'begun');
    await writer.finishLoad([price], 'loaded');
    await sql(`ALTER TABLE ${quoted(table.name)} MODIFY price BIGINT`);
    const merged = writer.merge([price], csv([['1', '1', 'false', '1.5']]), 'merged');
    await expect(merged).rejects.toMatchObject({ kind: 'inconsistent' });
    await writer.close();
  });

  it.each([
    ['with LOAD DATA', 1],
    ['with INSERT', 0],
  ])('rejects values that do not fit instead of changing them, %s', async (_, localInfile) => {
    await server.asRoot((root) => root.query(`SET GLOBAL local_infile = ${String(localInfile)}`));
    const table = newTable();
    const columns = [price, at];
    const writer = await throughBridge().open(table);
    await writer.claim(1);
    await writer.beginLoad(columns, 'begun');
    for (const cells of [
      ['1.0000000000000000001', null],
      ['x', null],
      [`1${'0'.repeat(40)}`, null],
      ['1', '2026-02-30T00:00:00.000Z'],
    ]) {
      const appended = writer.append(columns, csv([['1', '1', ...cells]]), 'appended');
      await expect(appended).rejects.toMatchObject({ kind: 'inconsistent' });
    }
    const twice = writer.append(
      columns,
      csv([
        ['1', '1', '1', null],
        ['1', '2', '2', null],
      ]),
      'b',
    );
    await expect(twice).rejects.toMatchObject({ kind: 'inconsistent' });
    await writer.append(columns, csv([['1', '1', '1', null]]), 'appended');
    await writer.finishLoad(columns, 'loaded');
    await expect(read(table)).resolves.toHaveLength(1);
    await writer.close();
    await server.asRoot((root) => root.query('SET GLOBAL local_infile = 1'));
  });

  it('says that a row is larger than the server takes, without LOAD DATA', async () => {
    await server.asRoot(async (root) => {
      await root.query('SET GLOBAL local_infile = 0');
      await root.query('SET GLOBAL max_allowed_packet = 1048576');
    });
    const writer = await throughBridge().open(newTable());
    await writer.claim(1);
    await writer.beginLoad([text], 'begun');
    const appended = writer.append([text], csv([['1', '1', 'x'.repeat(2_000_000)]]), 'appended');
    await expect(appended).rejects.toMatchObject({ kind: 'configuration' });
    await expect(appended).rejects.toThrow('A row is larger than max_allowed_packet');
    await writer.close();
    await server.asRoot(async (root) => {
      await root.query('SET GLOBAL local_infile = 1');
      await root.query('SET GLOBAL max_allowed_packet = 16777216');
    });
  });

  it.each([
    ['a database that does not exist', { database: 'missing' }, 'The user lacks a right.'],
    ['a user that does not exist', { user: 'missing' }, 'The database rejected the user'],
    ['a server without TLS', { host: 'localhost', tls: true }, 'TLS failed'],
    ['a private address', { host: '10.1.2.3' }, 'The address is private, reserved or local.'],
    [
      'a name that does not resolve',
      { host: 'missing.invalid' },
      'The host name does not resolve.',
    ],
  ])('says what to do about %s', async (_, settings, message) => {
    const tested = new MysqlDestination(accessOf(server, settings)).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow(message);
  });

  it('says that the user lacks a right', async () => {
    await server.asRoot(async (root) => {
      await root.query("CREATE USER reader IDENTIFIED BY 'pw'");
      await root.query(`GRANT SELECT ON ${quoted(server.database)}.* TO reader`);
    });
    const access = { ...accessOf(server, { user: 'reader' }), password: 'pw' };
    const tested = new MysqlDestination(access).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow('The user lacks a right.');
  });

  it('reports an authentication plugin that is not supported', async () => {
    await server.asRoot(async (root) => {
      await root.query("INSTALL SONAME 'auth_ed25519'");
      await root.query("CREATE USER ed IDENTIFIED VIA ed25519 USING PASSWORD('pw')");
    });
    const tested = new MysqlDestination({
      ...accessOf(server, { user: 'ed' }),
      password: 'pw',
    }).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow('a form of authentication that is not supported');
  });
});

describeMariadb('a MariaDB destination with TLS', () => {
  let server: MariadbServer;
  let ca: string;

  beforeAll(async () => {
    const authority = await newAuthority();
    ca = authority.cert;
    const pair = await newPair('localhost', authority);
    server = await MariadbServer.start([], async (directory) => {
      const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
      await writeFile(cert, pair.cert);
      await writeFile(key, pair.private);
      return [`--ssl-cert=${cert}`, `--ssl-key=${key}`];
    });
  });

  afterAll(() => server.remove());

  it('verifies the certificate and writes', async () => {
    const settings = { host: 'localhost', tls: true, caCertificate: ca };
    await new MysqlDestination(accessOf(server, settings)).test();
  });

  it.each([
    ['of an unknown authority', { host: 'localhost', caCertificate: null }],
    ['for another name', { host: 'other.localhost' }],
  ])('rejects a certificate %s', async (_, settings) => {
    const access = accessOf(server, { tls: true, caCertificate: ca, ...settings });
    // The name leads to the server.
    const resolve: MysqlAccess['resolve'] = (_name, callback) => {
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const tested = new MysqlDestination({ ...access, resolve }).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow('TLS failed');
  });

  it('rejects an address, for which certificates are not checked', () => {
    expect(() => accessOf(server, { host: '127.0.0.1', tls: true })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

describe('a host that is no MySQL server', () => {
  let server: Server;

  beforeEach(() => {
    // The driver warns there.
    jest.spyOn(console, 'error').mockImplementation();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    server.close();
    await once(server, 'close');
  });

  it.each([
    ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['zeros', Buffer.alloc(1_000)],
    ['a packet that ends early', Buffer.from([1, 0, 0, 0, 10])],
    ['an unknown authentication', Buffer.from([3, 0, 0, 0, 254, 97, 0])],
  ])('fails the connection and leaves the process alone if it sends %s', async (_, bytes) => {
    server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end(bytes);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const access = { user: 'a', password: 'b', database: 'c', port };
    await expect(new MysqlDestination(accessOf(access)).test()).rejects.toMatchObject({
      name: 'Error',
      kind: expect.stringMatching(/^(unavailable|configuration)$/),
    });
  });
});
