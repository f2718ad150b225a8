import type { ApiResponse } from '../../support/api-client';
import { onDatabase, withClient } from '../../support/database-url';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let rows: string;
let name: string;

beforeAll(async () => {
  app = await TestApp.alone('Its database rejects connections.');
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }])}/rows`;
  [, name = ''] = /\/(datagrid_test_\w+)/.exec(app.database.url) ?? [];
});

afterAll(() => app.close());

/** Alters the database and terminates all its sessions, so that every client reconnects. */
async function alter(change: string): Promise<void> {
  await withClient(onDatabase(app.database.url, 'postgres'), async (client) => {
    await client.query(`ALTER DATABASE ${name} ${change}`);
    const end = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1';
    await client.query(end, [name]);
  });
}

const create = (): Promise<ApiResponse> => owner.api.post(rows, { values: { n: 1 } });
const createByKey = (): Promise<ApiResponse> =>
  owner.api.post(rows, { values: { n: 1 } }, { 'idempotency-key': 'the one' });
const createMany = (): Promise<ApiResponse> =>
  owner.api.post(`${rows}/batch`, {
    mode: 'atomic',
    operations: [{ op: 'create', values: { n: 1 } }],
  });
const read = (): Promise<ApiResponse> => owner.api.get(rows);

function expectUnavailable(response: ApiResponse): void {
  expectFailure(response, 'unavailable');
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

const countRows = async (): Promise<number> => (await read()).body.meta.total as number;

describe('an instance whose PostgreSQL rejects requests', () => {
  it('returns 503 for writes and serves reads while PostgreSQL is read-only', async () => {
    const before = await countRows();
    await alter('SET default_transaction_read_only = on');
    try {
      for (const write of [create, createByKey, createMany]) {
        // The service notices a terminated session when it uses it.
        const response = await eventually(async () => {
          const given = await write();
          return given.status !== 201 && !given.text.includes('lost') && given;
        });
        expectUnavailable(response);
      }
      expect(await countRows()).toBe(before);
    } finally {
      await withClient(onDatabase(app.database.url, 'postgres'), (client) =>
        client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`),
      );
    }
    // Nothing has terminated sessions since, so the service must have discarded the read-only ones.
    for (const write of [createMany, createByKey, create]) {
      await eventually(async () => (await write()).status < 300);
    }
    expect(await countRows()).toBe(before + 3);
  });

  it('returns 503 while the database allows no connections, and succeeds once it does', async () => {
    await alter('ALLOW_CONNECTIONS false');
    try {
      expectUnavailable(await eventually(async () => (await read()).status >= 500 && read()));
      expectUnavailable(await create());
      expect((await fetch(`${app.origin}/health/ready`)).status).toBe(503);
      expect((await fetch(`${app.origin}/health/live`)).status).toBe(200);
    } finally {
      await alter('ALLOW_CONNECTIONS true');
    }
    dataOf(await read(), 200);
  });
});
