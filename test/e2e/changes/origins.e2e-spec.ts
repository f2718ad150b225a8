import { ChangeRepository } from '../../../src/changes/change.repository';
import type { ApiClient, Json } from '../../support/api-client';
import { EventStream } from '../../support/event-stream';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'n', type: 'integer' },
  { key: 'note', type: 'text' },
];

/** PostgreSQL compresses rows with it, so that they are printed one by one. */
const LONG = 'x'.repeat(9_000);

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
});

afterEach(() => jest.restoreAllMocks());

afterAll(() => app.close());

const create = async (api: ApiClient, values: Json): Promise<Json> =>
  dataOf(await api.post(`${datagrid}/rows`, { values }), 201);

async function read(query: string): Promise<{ readonly items: Json[]; readonly cursor: string }> {
  const { status, body } = await team.viewer.api.get(`${datagrid}/changes?${query}`);
  expect(status).toBe(200);
  return { items: body.data, cursor: body.meta.nextCursor };
}

const byEditor = (): Json => ({ userId: team.editor.userId, keyId: team.editor.keyId });
const byOwner = (): Json => ({ userId: team.owner.userId, keyId: team.owner.keyId });

/** Makes a change of each kind. @returns the cursor before them. */
async function changeAll(): Promise<string> {
  await create(team.owner.api, { n: 1 });
  const { cursor } = await read('cursor=latest');
  await create(team.editor.api, { n: 2 });
  dataOf(await team.owner.api.patch(`${datagrid}/rows/2`, { values: { note: LONG } }), 200);
  dataOf(await team.owner.api.patch(`${datagrid}/rows/1`, { values: { n: 3 } }), 200);
  expect((await team.editor.api.delete(`${datagrid}/rows/1`)).status).toBe(204);
  dataOf(await team.owner.api.post(`${datagrid}/columns`, { key: 'more', type: 'text' }), 201);
  await create(team.editor.api, { n: 4 });
  return cursor;
}

/** What `changeAll` did, as operations and authors. */
const expected = (): unknown[] => [
  ['schema', undefined, byOwner()],
  ['set', 2, byOwner()],
  ['delete', 1, byEditor()],
  ['set', 3, byEditor()],
];

const short = (items: readonly Json[]): unknown[] =>
  items.map(({ op, id, row, changedBy }) => [op, id ?? row?.id, changedBy]);

describe('GET /datagrids/{datagridId}/changes?include=author', () => {
  it('says for every change who made it, and when', async () => {
    const cursor = await changeAll();
    const { items } = await read(`cursor=${cursor}&include=author`);
    expect(short(items)).toEqual(expected());
    for (const { op, row, changedAt } of items) {
      expect(changedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      if (op === 'set') expect(changedAt).toBe(row.updatedAt);
    }
  });

  it('says the same in streams of lines and of events', async () => {
    const query = `?cursor=${await changeAll()}&include=author`;
    const lines = await fetch(`${app.origin}/api/v1/public${datagrid}/changes${query}`, {
      headers: { authorization: `Bearer ${team.viewer.key}`, accept: 'application/x-ndjson' },
    });
    const items = (await lines.text()).trim().split('\n');
    expect(short(items.slice(0, -1).map((line) => JSON.parse(line)))).toEqual(expected());
    const stream = new EventStream(`${app.origin}/api/v1/public${datagrid}/changes${query}`, {
      authorization: `Bearer ${team.viewer.key}`,
    });
    const event = await stream.next();
    expect(short(event.data.data)).toEqual(expected());
    stream.close();
  });

  it('names the user without a key for a change in the console', async () => {
    const { cursor } = await read('cursor=latest');
    const console = await app.console(team.editor);
    dataOf(await console.post(`/data${datagrid}/rows`, { values: { n: 1 } }), 201);
    const { items } = await read(`cursor=${cursor}&include=author`);
    expect(short(items)).toEqual([['set', 1, { userId: team.editor.userId, keyId: null }]]);
  });

  it('adds nothing to rows that existed before, or without the parameter', async () => {
    const cursor = await changeAll();
    for (const query of ['include=author', `cursor=${cursor}`]) {
      const { items } = await read(query);
      expect(items.length).toBeGreaterThan(2);
      expect(items.filter((item) => 'changedAt' in item || 'changedBy' in item)).toEqual([]);
    }
  });

  it.each([
    ['a small row', ''],
    ['a large row', LONG],
  ])(
    'names no author of %s that changes while it is read, and then the last one',
    async (_, note) => {
      await create(team.owner.api, { n: 1, note });
      const { cursor } = await read('cursor=latest');
      dataOf(await team.owner.api.patch(`${datagrid}/rows/1`, { values: { n: 2 } }), 200);
      const repository = app.nest.get(ChangeRepository, { strict: false });
      const listEntries = repository.listEntries.bind(repository);
      jest.spyOn(repository, 'listEntries').mockImplementationOnce(async (...given) => {
        const entries = await listEntries(...given);
        dataOf(await team.editor.api.patch(`${datagrid}/rows/1`, { values: { n: 3 } }), 200);
        return entries;
      });
      const first = await read(`cursor=${cursor}&include=author`);
      expect(short(first.items)).toEqual([['set', 1, undefined]]);
      const second = await read(`cursor=${first.cursor}&include=author`);
      expect(short(second.items)).toEqual([['set', 1, byEditor()]]);
    },
  );

  it.each([
    ['include=everything', 'not_a_choice'],
    ['include=author&include=author', 'duplicate_parameter'],
  ])('returns 400 for %s', async (query, code) => {
    const response = await team.viewer.api.get(`${datagrid}/changes?${query}`);
    expectFailure(response, 'invalid_request', [`include ${code}`]);
  });
});
