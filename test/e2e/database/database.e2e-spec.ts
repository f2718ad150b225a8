import { DataSource } from 'typeorm';
import { Database } from '../../../src/platform/database/database';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import type { Statement } from '../../../src/platform/database/text-query';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

let test: TestDatabase;
let dataSource: DataSource;
let database: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  const options = { url: test.url, poolSize: 4, lockTimeoutMs: 5_000 };
  dataSource = await new DataSource(dataSourceOptions(options, [])).initialize();
  database = new Database(dataSource);
});

afterAll(async () => {
  await dataSource.destroy();
  await test.drop();
});

const SHARING = { accountId: 'account', rows: 1 };
const NOTHING_DONE: Statement = {
  name: 'test-transaction',
  text: 'SELECT pg_current_xact_id()::text AS id',
};
const TEXTS: Statement = {
  name: 'test-texts',
  text: "SELECT $1::bigint + 1, $2::text, NULL, true, 'é€😀', generate_series(1, $3::int)",
};
const DIVISION: Statement = { name: 'test-division', text: 'SELECT 1 / $1::int' };
const READ_ONLY: Statement = {
  name: 'test-read-only',
  text: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
};
const WRITE: Statement = {
  name: 'test-write',
  text: "SELECT nextval('schema_migrations_id_seq')",
};
const END_OF_CONNECTION: Statement = {
  name: 'test-end',
  text: 'SELECT pg_terminate_backend(pg_backend_pid())',
};

async function transactionId(): Promise<string | undefined> {
  const [row] = await database.run<{ id: string }>(NOTHING_DONE);
  return row?.id;
}

/** Creates a promise and the function that resolves it. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe('a transaction', () => {
  it('stays the same transaction while others begin and end', async () => {
    const first = gate();
    const long = database.transaction(async () => {
      const before = await transactionId();
      await first.passed;
      return [before, await transactionId(), database.isInTransaction];
    });
    for (let i = 0; i < 5; i += 1) {
      const [one, other] = await database.transaction(async () => [
        await transactionId(),
        await transactionId(),
      ]);
      expect(one).toBe(other);
    }
    await expect(database.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    first.open();
    const [before, after, isInside] = await long;
    expect(after).toBe(before);
    expect(isInside).toBe(true);
  });

  it('ends before the statements that follow it', async () => {
    await database.transaction(transactionId);
    expect(database.isInTransaction).toBe(false);
    expect(await transactionId()).not.toBe(await transactionId());
    const seen = await database.transaction(() => Promise.resolve(database.isInTransaction));
    expect(seen).toBe(true);
  });

  it('starts after it has waited for a free connection', async () => {
    const gates = Array.from({ length: 4 }, gate);
    const held = gates.map(({ passed }) => database.transaction(() => passed));
    const waiting = database.transaction(transactionId);
    gates.forEach(({ open }) => {
      open();
    });
    await Promise.all(held);
    expect(await waiting).toMatch(/^\d+$/);
    expect(database.isInTransaction).toBe(false);
  });
});

describe('a transaction that fails because its connection is read-only', () => {
  it('discards its connection, so that the next one uses another', async () => {
    await database.run(READ_ONLY);
    const write = (): Promise<unknown> => database.transaction(() => database.run(WRITE));
    await expect(write()).rejects.toMatchObject({ code: '25006' });
    expect(await write()).toHaveLength(1);
  });
});

describe('runForText', () => {
  it('returns the first row as PostgreSQL prints it, with null for NULL', async () => {
    for (let i = 0; i < 3; i += 1) {
      const row = await database.runForText(TEXTS, ['9007199254740993', "it's", 3], SHARING);
      expect(row).toEqual(['9007199254740994', "it's", null, 't', 'é€😀', '1']);
    }
  });

  it('returns undefined if there is no row', async () => {
    expect(await database.runForText(TEXTS, [1, '', 0], SHARING)).toBeUndefined();
  });

  it('runs inside the current transaction', async () => {
    await database.transaction(async () => {
      const id = await transactionId();
      expect(await database.runForText(NOTHING_DONE, [], SHARING)).toEqual([id]);
    });
  });

  it('reports the error and the name of a failed statement, and keeps the connection usable', async () => {
    await expect(database.runForText(DIVISION, [0], SHARING)).rejects.toMatchObject({
      code: '22012',
      statement: DIVISION.name,
    });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        database.runForText(DIVISION, [i % 2], SHARING).catch(() => null),
      ),
    );
    expect(responses).toEqual(Array.from({ length: 20 }, (_, i) => (i % 2 ? ['1'] : null)));
  });

  it('fails if its connection is lost, and does not reuse that connection', async () => {
    await expect(database.runForText(END_OF_CONNECTION, [], SHARING)).rejects.toMatchObject({
      code: '57P01',
    });
    expect(await database.runForText(TEXTS, [1, 'after', 1], SHARING)).toEqual([
      '2',
      'after',
      null,
      't',
      'é€😀',
      '1',
    ]);
  });
});
