import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Client } from 'pg';
import { PostgresqlDestination } from '../../src/destinations/postgresql/postgresql-kind';
import { TcpBridge } from '../support/tcp-bridge';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { csv, row } from './contract-lines';
import { COLUMNS } from './contract-tables';
import { describeDestination } from './destination-contract';
import { accessOf, NO_TLS, quoted, SCHEMA, startPostgresql } from './postgresql-server';

describe('a PostgreSQL destination', () => {
  describeDestination(startPostgresql);
});

describe('a PostgreSQL destination that cannot be used', () => {
  let database: TestDatabase;
  let bridge: TcpBridge;

  beforeAll(async () => {
    database = await createTestDatabase();
    bridge = await TcpBridge.start(database.url);
  });

  afterAll(async () => {
    await bridge.close();
    await database.drop();
  });

  it('gives up on a server that does not respond', async () => {
    const timeouts = { connect: 5_000, part: 200, table: 200 };
    const destination = new PostgresqlDestination({ ...accessOf(bridge), timeouts });
    const table = { id: randomUUID(), name: 'silent', deletions: 'delete' } as const;
    const writer = await destination.open(table);
    await writer.claim(1);
    bridge.silence();
    const begun = writer.beginLoad([], 'begun');
    await expect(begun).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(begun).rejects.toThrow('The connection timed out.');
    await writer.close();
  });

  it('takes a table over from a worker that is frozen in a transaction', async () => {
    const destination = new PostgresqlDestination(accessOf(bridge));
    const table = { id: randomUUID(), name: 'frozen', deletions: 'delete' } as const;
    const [frozen, other] = [await destination.open(table), await destination.open(table)];
    await frozen.claim(1);
    await frozen.beginLoad([], 'begun');
    const worker = new EventEmitter();
    const isFrozen = once(worker, 'frozen');
    async function* rows(): AsyncGenerator<Buffer> {
      yield Buffer.from('1,1\n');
      worker.emit('frozen');
      await once(worker, 'thawed');
      yield Buffer.from('2,1\n');
    }
    const late = frozen.append([], rows(), 'late');
    const failed = expect(late).rejects.toMatchObject({ kind: 'unavailable' });
    await isFrozen;
    await expect(other.claim(2)).resolves.toBe('begun');
    await other.append([], csv([['3', '1']]), 'taken over');
    worker.emit('thawed');
    await failed;
    await other.finishLoad([], 'loaded');
    await expect(other.readRevisions({ from: 1, to: 9 })).resolves.toEqual([
      { id: 3, revision: 1 },
    ]);
    await frozen.close();
    await other.close();
  });

  it.each([
    [
      'a database that does not exist',
      { ...NO_TLS, database: 'missing' },
      'The database does not exist.',
    ],
    ['a server without TLS', { schema: SCHEMA }, 'TLS failed.'],
    [
      'a private address',
      { ...NO_TLS, host: '10.1.2.3' },
      'The address is private, reserved or local.',
    ],
    [
      'a name that does not resolve',
      { ...NO_TLS, host: 'missing.invalid' },
      'The host name does not resolve.',
    ],
  ])('says what to do about %s', async (_, settings, message) => {
    const tested = new PostgresqlDestination(accessOf(bridge, settings)).test();
    await expect(tested).rejects.toMatchObject({ kind: 'configuration' });
    await expect(tested).rejects.toThrow(message);
  });
});

describe('a decimal in PostgreSQL', () => {
  let under: Awaited<ReturnType<typeof startPostgresql>>;

  beforeAll(async () => {
    under = await startPostgresql();
  });

  afterAll(() => under.close());

  it('has the digits that were sent, but zero has no sign', async () => {
    const table = { id: randomUUID(), name: 'decimals', deletions: 'delete' } as const;
    const { price } = COLUMNS;
    const writer = await under.destination.open(table);
    await writer.claim(1);
    await writer.beginLoad([price], 'begun');
    const values = ['-0.0', '1.50', '12345678901234567890.000000000000000001'];
    await writer.append([price], csv(values.map((value, n) => row(n, 1, value))), 'part');
    await writer.finishLoad([price], 'loaded');
    await writer.close();
    const rows = await under.read(table.name);
    expect(rows?.map((each) => each['price'])).toEqual(['0.0', ...values.slice(1)]);
  });
});

describe('a PostgreSQL table without a column of the service', () => {
  let database: TestDatabase;
  let bridge: TcpBridge;
  let reader: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    bridge = await TcpBridge.start(database.url);
    reader = new Client({ connectionString: database.url });
    await reader.connect();
  });

  afterAll(async () => {
    await reader.end();
    await bridge.close();
    await database.drop();
  });

  it.each([
    [
      'mark',
      '_deleted_at',
      [
        { _id: '2', isOver: true },
        { _id: '3', isOver: false },
      ],
    ],
    [
      'history',
      '_valid_to',
      [
        { _id: '2', isOver: true },
        { _id: '3', isOver: true },
        { _id: '3', isOver: false },
      ],
    ],
  ] as const)('gets it again with a new load, in mode %s', async (deletions, column, expected) => {
    const destination = new PostgresqlDestination(accessOf(bridge));
    const table = { id: randomUUID(), name: `dropped_${deletions}`, deletions };
    const writer = await destination.open(table);
    const load = async (ids: readonly string[]): Promise<void> => {
      await writer.beginLoad([], 'begun');
      await writer.append([], csv(ids.map((id) => [id, '1'])), 'appended');
      await writer.finishLoad([], 'loaded');
    };
    await writer.claim(1);
    await load(['2', '3']);
    await reader.query(`ALTER TABLE ${quoted(table.name)} DROP COLUMN ${column}`);
    await expect(writer.merge([], csv([['3', '2', 'true']]), 'merged')).rejects.toMatchObject({
      kind: 'inconsistent',
    });
    await load(['3']);
    const { rows } = await reader.query(
      `SELECT _id, ${column} IS NOT NULL AS "isOver" FROM ${quoted(table.name)} ORDER BY 1, 2 DESC`,
    );
    expect(rows).toEqual(expected);
    await writer.merge([], csv([['3', '2', 'true']]), 'merged');
    await expect(writer.readRevisions({ from: 1, to: 9 })).resolves.toEqual([]);
    await writer.close();
  });
});
