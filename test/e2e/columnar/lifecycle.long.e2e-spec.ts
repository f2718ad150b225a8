import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';
import type { ApiResponse } from '../../support/api-client';
import { dataOf } from '../../support/fixture';
import type { Member } from '../../support/test-app';
import { CopiedService } from './copies';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
  { key: 'amount', type: 'decimal' },
];
const ROWS = 3_000;

let service: CopiedService;
let owner: Member;
let datagridId: string;
let path: string;

// Starts two instances of its own: only one of them has copies.
beforeAll(async () => {
  service = await CopiedService.start();
  owner = await service.app.newAccount();
});

afterAll(() => service.close());

beforeEach(async () => {
  ({ datagridId, path } = await newDatagrid(owner));
});

let serial = 0;

async function newDatagrid(member: Member): Promise<{ datagridId: string; path: string }> {
  const name = `Copied ${String((serial += 1))}`;
  const { id: workspaceId } = dataOf(await member.api.post('/workspaces', { name }), 201);
  const body = { name, columns: COLUMNS };
  const { id } = dataOf(await member.api.post(`/workspaces/${workspaceId}/datagrids`, body), 201);
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    values: { name: `Name ${String(index % 7)}`, n: index % 100, amount: '1.50' },
  }));
  for (let at = 0; at < ROWS; at += 1_000) {
    dataOf(
      await member.api.post(`/datagrids/${id}/rows`, { rows: rows.slice(at, at + 1_000) }),
      201,
    );
  }
  return { datagridId: id, path: `/datagrids/${id}/rows` };
}

const query = { filter: { n: 7 }, sort: '-name', fields: 'n', limit: 5 };
const ask = (member = owner): Promise<ApiResponse> => member.api.post(`${path}/query`, query);

/** Asks both instances. @returns the total, and how the queries of the copy ended meanwhile. */
async function compared(): Promise<{ total: number; outcome: string }> {
  const before = await service.outcomes();
  const response = await ask();
  const after = await service.outcomes();
  const expected = await service.other.api(owner.key).post(`${path}/query`, query);
  expect(response.status).toBe(200);
  expect(response.body.data).toEqual(expected.body.data);
  expect(response.body.meta).toEqual(expected.body.meta);
  const ended = (['served', 'unable', 'behind', 'failed'] as const).filter(
    (outcome) => after[outcome] > before[outcome],
  );
  return { total: response.body.meta.total as number, outcome: ended.join() };
}

describe('a columnar copy', () => {
  it('is loaded after two scans, and then finds the rows', async () => {
    expect(await compared()).toEqual({ total: 30, outcome: '' });
    expect(service.copies.of(datagridId)).toBeUndefined();
    expect(await compared()).toEqual({ total: 30, outcome: '' });
    await service.load(owner.accountId, datagridId);
    expect(await compared()).toEqual({ total: 30, outcome: 'served' });
  });

  it('includes writes that another instance has just committed', async () => {
    await service.load(owner.accountId, datagridId);
    const other = service.other.api(owner.key);
    for (let n = 1; n <= 5; n += 1) {
      dataOf(await other.post(path, { values: { name: 'New', n: 7 } }), 201);
      expect(await compared()).toEqual({ total: 30 + n, outcome: 'served' });
    }
    dataOf(await other.patch(`${path}/8`, { values: { n: 8 } }), 200);
    expect((await other.delete(`${path}/108`)).status).toBe(204);
    expect(await compared()).toEqual({ total: 33, outcome: 'served' });
  });

  it('finds the rows of an export, if they are at most a quarter of all', async () => {
    const exported = async (filter: object, outcome: string): Promise<void> => {
      const text = encodeURIComponent(JSON.stringify(filter));
      const url = `${path}/export?filter=${text}&sort=-name,n&shape=row`;
      const before = await service.outcomes();
      const response = await owner.api.get(url);
      const after = await service.outcomes();
      const expected = await service.other.api(owner.key).get(url);
      expect(response.status).toBe(200);
      expect(response.text).toBe(expected.text);
      expect(response.headers.get('etag')).toBe(expected.headers.get('etag'));
      const changed = Object.entries(after).filter(
        ([name, count]) => count > before[name as keyof typeof before],
      );
      expect(changed.map(([name]) => name).join()).toBe(outcome);
    };
    await exported({ n: 7 }, '');
    expect(service.demand.take()).toBeUndefined();
    await exported({ n: 7 }, '');
    expect(service.demand.take()).toMatchObject({ datagridId });
    await service.load(owner.accountId, datagridId);
    await exported({ n: 7 }, 'served');
    const other = service.other.api(owner.key);
    dataOf(await other.post(path, { values: { name: 'New', n: 7 } }), 201);
    dataOf(await other.patch(`${path}/8`, { values: { n: 8 } }), 200);
    await exported({ n: 7 }, 'served');
    await exported({ n: { $lt: 24 } }, 'served');
    await exported({ n: { $lt: 26 } }, 'unable');
    await exported({ n: 100 }, 'served');
  });

  it('that lacks many changes leaves the query to PostgreSQL, and is brought up to date', async () => {
    await service.load(owner.accountId, datagridId);
    const rows = Array.from({ length: 1_000 }, () => ({ values: { n: 7 } }));
    for (let part = 0; part < 3; part += 1) dataOf(await owner.api.post(path, { rows }), 201);
    expect(await compared()).toEqual({ total: 3_030, outcome: 'behind' });
    const copy = service.copies.of(datagridId);
    await service.follow();
    expect(service.copies.of(datagridId)).toBe(copy);
    expect(await compared()).toEqual({ total: 3_030, outcome: 'served' });
  });

  it('that lacks few but large changes is brought up to date in the background, too', async () => {
    await service.load(owner.accountId, datagridId);
    const values = { name: 'x'.repeat(1_000_000), n: 7 };
    for (let row = 0; row < 10; row += 1) dataOf(await owner.api.post(path, { values }), 201);
    expect(await compared()).toEqual({ total: 40, outcome: 'behind' });
    await service.follow();
    expect(await compared()).toEqual({ total: 40, outcome: 'served' });
  });

  it('is not used after the columns of its datagrid have changed', async () => {
    await service.load(owner.accountId, datagridId);
    const columns = `/datagrids/${datagridId}/columns`;
    dataOf(await owner.api.post(columns, { key: 'more', type: 'text' }), 201);
    const changed = await compared();
    expect(changed.total).toBe(30);
    expect(changed.outcome).not.toBe('served');
    await service.load(owner.accountId, datagridId);
    expect(await compared()).toEqual({ total: 30, outcome: 'served' });
  });

  it('is not used for other accounts, and is dropped after its datagrid is deleted', async () => {
    await service.load(owner.accountId, datagridId);
    const stranger = await service.app.newAccount();
    expect((await ask(stranger)).status).toBe(404);
    expect((await owner.api.delete(`/datagrids/${datagridId}`)).status).toBe(204);
    expect((await ask()).status).toBe(404);
    await service.follow();
    expect(service.copies.of(datagridId)).toBeUndefined();
  });

  it('of a database that was restored is not used', async () => {
    await service.load(owner.accountId, datagridId);
    expect((await compared()).outcome).toBe('served');
    // Another history with the same revision.
    await service.app.sql.query(
      `UPDATE datagrid_changes SET at = at + interval '1 s' WHERE datagrid_id = $1`,
      [datagridId],
    );
    expect(await compared()).toEqual({ total: 30, outcome: 'behind' });
    const copy = service.copies.of(datagridId);
    await service.load(owner.accountId, datagridId);
    expect(service.copies.of(datagridId)).not.toBe(copy);
    expect(await compared()).toEqual({ total: 30, outcome: 'served' });
  });

  it('leaves cursors with times that do not exist to PostgreSQL', async () => {
    await service.load(owner.accountId, datagridId);
    const sort = '_createdAt';
    const first = await owner.api.post(`${path}/query`, { sort, q: 'Name', cursor: '', limit: 2 });
    const [head = ''] = (first.body.meta.nextCursor as string).split('.');
    for (const time of ['2024-13-45T25:00:00.000Z', '2024-02-30T00:00:00.000Z', 'x']) {
      const cursor = `${head}.${Buffer.from(`=${time}`).toString('base64url')}`;
      const body = { sort, q: 'Name', cursor, limit: 2 };
      const response = await owner.api.post(`${path}/query`, body);
      const expected = await service.other.api(owner.key).post(`${path}/query`, body);
      expect([response.status, response.text]).toEqual([expected.status, expected.text]);
    }
  });

  it('leaves queries to PostgreSQL after its process was killed, and is loaded again', async () => {
    await service.load(owner.accountId, datagridId);
    const { pid: child, signal } = await service.process();
    kill(child ?? 0, 'SIGKILL');
    expect((await compared()).total).toBe(30);
    expect(signal.aborted).toBe(true);
    await service.load(owner.accountId, datagridId);
    expect(await compared()).toEqual({ total: 30, outcome: 'served' });
  });

  it('is replaced by PostgreSQL for a query if its process does not respond', async () => {
    const slow = await CopiedService.start({ QUERY_TIMEOUT_MS: '1000' });
    try {
      const member = await slow.app.newAccount();
      const made = await newDatagrid(member);
      await slow.load(member.accountId, made.datagridId);
      kill((await slow.process()).pid ?? 0, 'SIGSTOP');
      const response = await member.api.post(`${made.path}/query`, query);
      expect(response.body.meta.total).toBe(30);
      expect(await slow.outcomes()).toMatchObject({ served: 0, failed: 1 });
    } finally {
      await slow.close();
    }
  });

  it('is dropped if there is no room, first from the account with the most bytes', async () => {
    const small = await CopiedService.start({ MAX_COLUMNAR_BYTES: '3000000' });
    try {
      const [greedy, modest] = [await small.app.newAccount(), await small.app.newAccount()];
      const { datagridId: kept } = await newDatagrid(modest);
      await small.load(modest.accountId, kept);
      for (let n = 0; n < 12; n += 1) {
        await small.load(greedy.accountId, (await newDatagrid(greedy)).datagridId);
      }
      const accounts = small.copies.list().map(({ accountId }) => accountId);
      expect(accounts).toContain(modest.accountId);
      expect(accounts.length).toBeLessThan(13);
    } finally {
      await small.close();
    }
  });

  it('is stored in a directory of its instance, which removes those of killed instances', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-columnar-'));
    // No process has this number.
    const left = join(directory, `4194999-${randomUUID()}`);
    await mkdir(left);
    await writeFile(join(left, 'copies.duckdb'), 'left behind');
    const again = await CopiedService.start({}, directory);
    try {
      expect(await readdir(directory)).toEqual([]);
      await again.process();
      expect(await readdir(directory)).toEqual([expect.stringMatching(`^${String(pid)}-`)]);
    } finally {
      await again.close();
    }
  });
});
