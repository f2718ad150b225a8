import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const COLUMN = { key: 'a', type: 'text', title: 'First' };
const HOUR_MS = 3_600_000;

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

async function tagOf(path: string): Promise<string> {
  return etag(await owner.api.get(path));
}

function etag(response: ApiResponse): string {
  dataOf(response, response.status);
  expect(response.headers.get('etag')).toMatch(/^"[\x21\x23-\x7e]+"$/);
  return response.headers.get('etag') ?? '';
}

/** Creates a datagrid with a column and a row in a new workspace. */
async function newSheet(): Promise<{ workspace: string; datagrid: string }> {
  const id = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, [COLUMN], id);
  dataOf(await owner.api.post(`${datagrid}/rows`, { values: { a: 'x' } }), 201);
  return { workspace: `/workspaces/${id}`, datagrid };
}

const idOf = (path: string): string => path.split('/').pop() ?? '';

/**
 * Asserts that the ETag of an earlier version returns 412 for a change and a deletion, and 200 for
 * a read.
 */
async function expectStale(path: string, tag: string, change: object): Promise<void> {
  const stale = { 'if-match': tag };
  expectFailure(await owner.api.patch(path, change, stale), 'precondition_failed');
  expectFailure(await owner.api.delete(path, stale), 'precondition_failed');
  expect((await owner.api.get(path, { 'if-none-match': tag })).status).toBe(200);
}

describe('the ETag of a column', () => {
  it('returns 412 for a column that was deleted and created again alike', async () => {
    const { datagrid } = await newSheet();
    const path = `${datagrid}/columns/a`;
    const removed = await owner.api.get(path);
    await owner.api.delete(path);
    const created = await owner.api.post(`${datagrid}/columns`, COLUMN);
    expect(created.body).toEqual(removed.body);
    expect(etag(created)).toBe(await tagOf(path));
    await expectStale(path, etag(removed), { title: 'x' });
  });

  it('returns 412 for a title that was changed and changed back', async () => {
    const { datagrid } = await newSheet();
    const path = `${datagrid}/columns/a`;
    const first = await owner.api.get(path);
    const tags = [etag(first)];
    for (const title of ['Second', 'First', 'Second', 'First']) {
      tags.push(etag(await owner.api.patch(path, { title })));
    }
    expect((await owner.api.get(path)).body).toEqual(first.body);
    expect(new Set(tags).size).toBe(5);
    for (const tag of tags.slice(0, -1)) await expectStale(path, tag, { title: 'x' });
  });

  it('stays the same if a change has no effect or concerns other columns', async () => {
    const { datagrid } = await newSheet();
    const path = `${datagrid}/columns/a`;
    const tag = await tagOf(path);
    expect(etag(await owner.api.patch(path, { title: 'First' }))).toBe(tag);
    await owner.api.post(`${datagrid}/columns`, { key: 'b', type: 'text' });
    await owner.api.patch(datagrid, { description: 'x' });
    expect(await tagOf(path)).toBe(tag);
  });

  it('changes with a change by the previous release, which does not increase the version', async () => {
    const { datagrid } = await newSheet();
    const path = `${datagrid}/columns/a`;
    const tag = await tagOf(path);
    await app.sql.query(`UPDATE datagrid_columns SET title = 'Other' WHERE datagrid_id = $1`, [
      idOf(datagrid),
    ]);
    await expectStale(path, tag, { title: 'x' });
  });
});

describe.each(['workspace', 'datagrid'] as const)('the ETag of a %s', (kind) => {
  it('returns 412 for a name that was changed and changed back, whatever the clock says', async () => {
    const path = (await newSheet())[kind];
    const first = await owner.api.get(path);
    await owner.api.patch(path, { name: 'Other name' });
    await owner.api.patch(path, { name: first.body.data.name });
    // Simulates a clock that was set back in between.
    await app.sql.query(`UPDATE ${kind}s SET updated_at = $2 WHERE id = $1`, [
      idOf(path),
      first.body.data.updatedAt,
    ]);
    expect((await owner.api.get(path)).body).toEqual(first.body);
    await expectStale(path, etag(first), { description: 'x' });
  });

  it('comes with an updatedAt that never goes back, whatever the clock says', async () => {
    const path = (await newSheet())[kind];
    const ahead = new Date(Date.now() + HOUR_MS);
    const set = `UPDATE ${kind}s SET updated_at = $2 WHERE id = $1`;
    await app.sql.query(set, [idOf(path), ahead]);
    const changed = dataOf(await owner.api.patch(path, { description: 'x' }), 200);
    expect(changed.updatedAt).toBe(ahead.toISOString());
    if (kind === 'workspace') return;
    await owner.api.post(`${path}/columns`, { key: 'b', type: 'text' });
    expect(dataOf(await owner.api.get(path), 200).updatedAt).toBe(ahead.toISOString());
  });
});

describe.each(['datagrid', 'workspace'] as const)('a restored %s', (kind) => {
  it('has new ETags, and so have its datagrid, columns, rows and pages', async () => {
    const { workspace, datagrid } = await newSheet();
    const pages = ['', '?page=1&limit=1', '?sort=a', '?filter={"a":"x"}', '?cursor='];
    const paths = [
      ...(kind === 'workspace' ? [workspace] : []),
      ...[datagrid, `${datagrid}/columns/a`, `${datagrid}/rows/1`],
      ...pages.map((page) => `${datagrid}/rows${page}`),
    ];
    const before = new Map<string, string>();
    for (const path of paths) before.set(path, await tagOf(path));
    const revision = Number(dataOf(await owner.api.get(datagrid), 200).revision);

    const trashed = kind === 'workspace' ? workspace : datagrid;
    const cascade = kind === 'workspace' ? '?cascade=true' : '';
    expect((await owner.api.delete(`${trashed}${cascade}`)).status).toBe(204);
    const restored = await owner.api.post(`/trash/${idOf(trashed)}/restore`);
    expect(etag(restored)).toBe(await tagOf(trashed));

    for (const [path, tag] of before) {
      expect(`${path} ${await tagOf(path)}`).not.toBe(`${path} ${tag}`);
      expect((await owner.api.get(path, { 'if-none-match': tag })).status).toBe(200);
    }
    const stale = (path: string): Record<string, string> => ({
      'if-match': before.get(path) ?? '',
    });
    for (const [path, change] of [
      [datagrid, { description: 'x' }],
      [`${datagrid}/columns/a`, { title: 'x' }],
      [`${datagrid}/rows/1`, { values: { a: 'y' } }],
    ] as const) {
      expectFailure(await owner.api.patch(path, change, stale(path)), 'precondition_failed');
    }
    // Deletion and restoration are two changes.
    expect(dataOf(await owner.api.get(datagrid), 200).revision).toBe(revision + 2);
  });
});
