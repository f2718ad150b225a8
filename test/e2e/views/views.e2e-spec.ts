import { PurgeService } from '../../../src/rows/purge/purge.service';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newView,
  NO_ID,
  RFC3339,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
  { key: 'status', type: 'select', options: { choices: ['open', 'done'] } },
  { key: 'more', type: 'json' },
  { key: 'due', type: 'date' },
  { key: 'at', type: 'datetime' },
];

const VIEW = {
  name: 'Unpaid',
  filter: { paid: false, $or: [{ amount: { $gte: '10.50' } }, { _id: { $lt: 3 } }] },
  sort: '-amount,name',
  q: 'ann',
  columns: [
    { key: 'amount', width: 90, pinned: 'left', summary: 'sum' },
    { key: 'name', summary: 'countDistinct' },
    { key: 'paid', hidden: true },
  ],
  groupBy: 'due',
  groupBucket: 'month',
  colorBy: 'status',
};

let app: TestApp;
let team: Team;
let datagrid: string;
let views: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  views = `${datagrid}/views`;
});

afterAll(() => app.close());

describe('a view', () => {
  it('is returned as it was created, and in the list', async () => {
    const created = await team.editor.api.post(views, VIEW);
    const view = dataOf(created, 201);
    expect(view).toEqual({
      ...{ id: expect.any(String), ...VIEW },
      ...{ createdAt: expect.stringMatching(RFC3339), updatedAt: view.createdAt },
    });
    const read = await team.viewer.api.get(`${views}/${String(view.id)}`);
    expect(dataOf(read, 200)).toEqual(view);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    const { body } = await team.viewer.api.get(views);
    expect(body.data).toEqual([view]);
    expect(body.meta).toMatchObject({ total: 1, page: 1 });
  });

  it('has defaults for everything except its name', async () => {
    expect(dataOf(await team.editor.api.post(views, { name: ' All ' }), 201)).toMatchObject({
      ...{ name: 'All', filter: null, sort: null, q: null, columns: [] },
      ...{ groupBy: null, groupBucket: null, colorBy: null },
    });
  });

  it('keeps what an update does not send, and clears what is null', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const path = `${views}/${id}`;
    const renamed = dataOf(await team.editor.api.patch(path, { name: 'Open' }), 200);
    expect(renamed).toMatchObject({ ...VIEW, name: 'Open' });
    const cleared = {
      filter: null,
      sort: null,
      q: null,
      columns: [],
      groupBy: null,
      groupBucket: null,
      colorBy: null,
    };
    expect(dataOf(await team.editor.api.patch(path, cleared), 200)).toMatchObject({
      ...{ name: 'Open', ...cleared },
    });
  });

  it('groups by a column that can be compared, and colors by a select column', async () => {
    const { api } = team.editor;
    expectFailure(await api.post(views, { name: 'A', groupBy: 'more' }), 'invalid_request', [
      'groupBy incompatible_parameters',
    ]);
    expectFailure(await api.post(views, { name: 'A', colorBy: 'paid' }), 'invalid_request', [
      'colorBy incompatible_parameters',
    ]);
    const unknown = { name: 'A', groupBy: '_id', colorBy: 5 };
    expectFailure(await api.post(views, unknown), 'invalid_request', ['colorBy wrong_type']);
    expectFailure(await api.post(views, { name: 'A', groupBy: '_id' }), 'invalid_request', [
      'groupBy unknown_column',
    ]);
  });

  it('has no groups and no colors once their columns are removed or have another type', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const path = `${views}/${id}`;
    const { api } = team.owner;
    await api.patch(`${datagrid}/columns/status`, { type: 'text' });
    await api.delete(`${datagrid}/columns/due`);
    const changed = dataOf(await api.get(path), 200);
    expect(changed).toMatchObject({ groupBy: null, groupBucket: null, colorBy: null });
  });

  it('groups dates and times by a period, which stays as long as the column does', async () => {
    const { api } = team.editor;
    const id = await newView(api, datagrid, { name: 'A', groupBy: 'due', groupBucket: 'week' });
    const changed = async (body: object): Promise<unknown> => {
      const { groupBy, groupBucket } = dataOf(await api.patch(`${views}/${id}`, body), 200);
      return [groupBy, groupBucket];
    };
    expect(await changed({ name: 'B' })).toEqual(['due', 'week']);
    expect(await changed({ groupBy: 'due' })).toEqual(['due', 'week']);
    expect(await changed({ groupBucket: 'year' })).toEqual(['due', 'year']);
    expect(await changed({ groupBy: 'at' })).toEqual(['at', null]);
    expect(await changed({ groupBucket: 'quarter' })).toEqual(['at', 'quarter']);
    expect(await changed({ groupBy: 'due', groupBucket: 'day' })).toEqual(['due', 'day']);
    expect(await changed({ groupBucket: null })).toEqual(['due', null]);
    expect(await changed({ groupBucket: 'month' })).toEqual(['due', 'month']);
    expect(await changed({ groupBy: 'paid' })).toEqual(['paid', null]);
    expect(await changed({ groupBy: 'at', groupBucket: 'month' })).toEqual(['at', 'month']);
    expect(await changed({ groupBy: null })).toEqual([null, null]);
    expect(await changed({ groupBy: 'at' })).toEqual(['at', null]);
  });

  it('has no period while its column has another type, and rejects a new one', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const path = `${views}/${id}`;
    const { api } = team.owner;
    dataOf(await api.patch(`${datagrid}/columns/due`, { type: 'text' }), 200);
    expect(dataOf(await api.get(path), 200)).toMatchObject({ groupBy: 'due', groupBucket: null });
    expectFailure(await api.patch(path, { groupBucket: 'day' }), 'invalid_request', [
      'groupBucket incompatible_parameters',
    ]);
    dataOf(await api.patch(`${datagrid}/columns/due`, { type: 'date' }), 200);
    expect(dataOf(await api.get(path), 200)).toMatchObject(VIEW);
  });

  it('has no function of a column whose type it no longer fits', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const { api } = team.owner;
    await api.patch(`${datagrid}/columns/amount`, { type: 'text' });
    const { columns } = dataOf(await api.get(`${views}/${id}`), 200);
    expect(columns).toEqual([
      { key: 'amount', width: 90, pinned: 'left' },
      { key: 'name', summary: 'countDistinct' },
      { key: 'paid', hidden: true },
    ]);
  });

  it('is changed and deleted only in the version that If-Match names', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const path = `${views}/${id}`;
    const etag = (await team.editor.api.get(path)).headers.get('etag') ?? '';
    const changed = await team.editor.api.patch(path, { q: null }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    const stale = { 'if-match': etag };
    expectFailure(await team.editor.api.patch(path, { q: 'x' }, stale), 'precondition_failed');
    expectFailure(
      await team.editor.api.send('DELETE', path, undefined, stale),
      'precondition_failed',
    );
    const now = { 'if-match': changed.headers.get('etag') ?? '' };
    expect((await team.editor.api.send('DELETE', path, undefined, now)).status).toBe(204);
    expectFailure(await team.editor.api.get(path), 'not_found');
  });

  it('can be read by viewers, and changed by editors', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const { api } = team.viewer;
    expectFailure(await api.post(views, { name: 'Mine' }), 'forbidden');
    expectFailure(await api.patch(`${views}/${id}`, { name: 'Mine' }), 'forbidden');
    expectFailure(await api.delete(`${views}/${id}`), 'forbidden');
  });

  it('is not found through another account or another datagrid', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const other = await newTeam(app);
    const elsewhere = await newDatagrid(team.owner.api, COLUMNS);
    for (const [api, path] of [
      [other.owner.api, `${views}/${id}`],
      [other.owner.api, views],
      [team.owner.api, `${elsewhere}/views/${id}`],
      [team.owner.api, `${views}/${NO_ID}`],
    ] as const) {
      expectFailure(await api.get(path), 'not_found');
    }
    for (const [api, path] of [
      [other.owner.api, `${datagrid}/rows?view=${id}`],
      [team.owner.api, `${elsewhere}/rows?view=${id}`],
      [team.owner.api, `${datagrid}/rows?view=${NO_ID}`],
      [team.owner.api, `${datagrid}/rows?view=1`],
    ] as const) {
      expectFailure(await api.get(path), 'not_found');
    }
  });

  it('has a name of its own in the datagrid, ignoring case', async () => {
    await newView(team.editor.api, datagrid, { name: 'Straße' });
    const id = await newView(team.editor.api, datagrid, { name: 'Other' });
    expectFailure(await team.editor.api.post(views, { name: 'STRASSE' }), 'conflict', [
      'name duplicate',
    ]);
    const renamed = await team.editor.api.patch(`${views}/${id}`, { name: 'strasse' });
    expectFailure(renamed, 'conflict', ['name duplicate']);
    const elsewhere = await newDatagrid(team.owner.api, COLUMNS);
    await newView(team.editor.api, elsewhere, { name: 'Straße' });
  });

  it.each([
    [{ filter: { gone: 1 } }, 'filter.gone unknown_column'],
    [{ filter: { amount: { $gte: true } } }, 'filter.amount.$gte wrong_type'],
    [{ filter: [] }, 'filter wrong_type'],
    [{ filter: { name: { $in: Array(900).fill('x'.repeat(20)) } } }, 'filter too_large'],
    [{ sort: 'gone' }, 'sort unknown_column'],
    [{ sort: 'name,'.repeat(100) }, 'sort out_of_range'],
    [{ sort: 1 }, 'sort wrong_type'],
    [{ q: '' }, 'q invalid_format'],
    [{ q: 'x'.repeat(257) }, 'q out_of_range'],
    [{ columns: [{ key: 'gone' }] }, 'columns.0.key unknown_column'],
    [{ columns: [{ key: 'name' }, { key: 'name' }] }, 'columns.1.key duplicate_column'],
    [{ columns: [{ key: 'name', width: 39 }] }, 'columns.0.width out_of_range'],
    [{ columns: [{ key: 'name', width: 90.5 }] }, 'columns.0.width wrong_type'],
    [{ columns: [{ key: 'name', hidden: 1 }] }, 'columns.0.hidden wrong_type'],
    [{ columns: [{ key: 'name', pinned: 'top' }] }, 'columns.0.pinned not_a_choice'],
    [{ columns: [{ key: 'name', color: 'red' }] }, 'columns.0.color unknown_property'],
    [{ columns: [{ key: 'amount', summary: 'median' }] }, 'columns.0.summary not_a_choice'],
    [
      { columns: [{ key: 'amount' }, { key: 'name', summary: 'sum' }] },
      'columns.1.summary incompatible_parameters',
    ],
    [{ columns: {} }, 'columns wrong_type'],
    [{ color: 'red' }, 'color unknown_property'],
    [{ groupBy: 'due', groupBucket: 'hour' }, 'groupBucket not_a_choice'],
    [{ groupBy: 'paid', groupBucket: 'day' }, 'groupBucket incompatible_parameters'],
    [{ groupBy: null, groupBucket: 'day' }, 'groupBucket incompatible_parameters'],
    [{ groupBucket: 'day' }, 'groupBucket incompatible_parameters'],
  ])('rejects %j', async (part, detail) => {
    expectFailure(await team.editor.api.post(views, { name: 'Bad', ...part }), 'invalid_request', [
      detail,
    ]);
    const id = await newView(team.editor.api, datagrid, { name: 'Good' });
    expectFailure(await team.editor.api.patch(`${views}/${id}`, part), 'invalid_request', [detail]);
  });

  it('is one of at most 100 of its datagrid, also if they are created at the same time', async () => {
    const names = Array.from({ length: 99 }, (_, at) => `View ${String(at)}`);
    while (names.length > 0) {
      const some = names.splice(0, 11);
      await Promise.all(some.map((name) => newView(team.editor.api, datagrid, { name })));
    }
    const last = await Promise.all(
      ['a', 'b', 'c'].map((name) => team.editor.api.post(views, { name })),
    );
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const full = last.find(({ status }) => status === 409);
    if (full) expectFailure(full, 'conflict');
    expect((await team.viewer.api.get(`${views}?limit=1`)).body.meta.total).toBe(100);
  });

  it('is created once if the request is repeated with its Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'view-1' };
    const first = await team.editor.api.post(views, VIEW, key);
    const second = await team.editor.api.post(views, VIEW, key);
    expect(dataOf(second, 201)).toEqual(dataOf(first, 201));
  });

  it('stays while its datagrid is in the trash, and is deleted when it is purged', async () => {
    const id = await newView(team.editor.api, datagrid, VIEW);
    const { api } = team.owner;
    const datagridId = datagrid.slice('/datagrids/'.length);
    await api.delete(datagrid);
    expectFailure(await api.get(`${views}/${id}`), 'not_found');
    expect((await api.post(`/trash/${datagridId}/restore`)).status).toBe(200);
    expect(dataOf(await api.get(`${views}/${id}`), 200)).toMatchObject(VIEW);
    await api.delete(datagrid);
    expect((await api.delete(`/trash/${datagridId}`)).status).toBe(204);
    await eventually(async () => {
      await app.nest.get(PurgeService, { strict: false }).runOnce();
      const left = 'SELECT FROM datagrid_views WHERE datagrid_id = $1';
      return (await app.sql.query(left, [datagridId])).rowCount === 0 || undefined;
    });
  });
});
