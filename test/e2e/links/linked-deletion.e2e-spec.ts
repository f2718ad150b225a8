import type { ApiClient, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { createRows, idOf, newLinkedSheets, valuesOf } from './linked-sheets';

let app: TestApp;
let team: Team;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.alone(
    'Its deletions of 10,000 links need plans that fit the statistics of whole tables.',
  );
  team = await newTeam(app);
  api = team.owner.api;
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const deleteIds = (path: string, ids: readonly number[]): ReturnType<ApiClient['post']> =>
  api.post(`${path}/rows/delete`, { filter: { _id: { $in: ids } } });

const batch = (path: string, operations: readonly object[]): ReturnType<ApiClient['post']> =>
  api.post(`${path}/rows/batch`, { mode: 'atomic', operations });

describe('the deletion of a linked row', () => {
  it('returns 409 with restrict, names the links and changes nothing, however it is deleted', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    await createRows(api, orders, [{ customer: 1 }, { others: [1, 2] }]);
    const single = await api.delete(`${customers}/rows/1`);
    expectFailure(single, 'conflict', ['rows.1 conflicting_rows', 'rows.1 conflicting_rows']);
    expect(single.text).toContain(
      `row 1 of datagrid ${idOf(orders)} links to it in column customer`,
    );
    for (const response of [
      await deleteIds(customers, [1, 3]),
      await api.post(`${customers}/rows/delete`, { filter: { name: { $eq: 'a' } } }),
      await batch(customers, [{ op: 'delete', id: 1 }]),
    ]) {
      expectFailure(response, 'conflict', ['rows.1 conflicting_rows', 'rows.1 conflicting_rows']);
    }
    expectFailure(await api.post(`${customers}/rows/delete`, { filter: {} }), 'conflict', [
      'rows.1 conflicting_rows',
      'rows.1 conflicting_rows',
      'rows.2 conflicting_rows',
    ]);
    expect(Object.keys(await valuesOf(api, customers))).toEqual(['1', '2', '3']);
    expect((await api.delete(`${customers}/rows/3`)).status).toBe(204);
    dataOf(await api.patch(`${orders}/rows/1`, { values: { customer: null } }), 200);
    expect((await api.delete(`${orders}/rows/2`)).status).toBe(204);
    expect(dataOf(await deleteIds(customers, [1, 2]), 200)).toMatchObject({ deleted: 2 });
  });

  it('clears the links with clear, as one write of the rows that have them', async () => {
    const { customers, orders } = await newLinkedSheets(api, { onDelete: 'clear' });
    await createRows(api, orders, [
      { customer: 1, others: [3, 1, 2], note: 'x' },
      { customer: 2, others: [1] },
      { customer: 3 },
    ]);
    const before = dataOf(await api.get(orders), 200).revision as number;
    expect((await api.delete(`${customers}/rows/1`)).status).toBe(204);
    expect(await valuesOf(api, orders)).toEqual({
      1: { others: [3, 2], note: 'x' },
      2: { customer: 2 },
      3: { customer: 3 },
    });
    expect(dataOf(await api.get(orders), 200).revision).toBe(before + 1);
    const filter = { _revision: before + 1 };
    const changed = dataOf(await api.post(`${orders}/rows/query`, { filter }), 200);
    expect((changed as unknown as Json[]).map(({ id }) => id)).toEqual([1, 2]);
    expect(dataOf(await deleteIds(customers, [2, 3]), 200)).toMatchObject({ deleted: 2 });
    expect(await valuesOf(api, orders)).toEqual({ 1: { note: 'x' }, 2: {}, 3: {} });
  });

  it('follows the links to a datagrid that cascades only by a column to another deleted row', async () => {
    const workspaceId = await newWorkspace(api);
    const to = (path: string, onDelete: string): object => {
      return { type: 'link', options: { datagridId: idOf(path), onDelete } };
    };
    const roots = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspaceId);
    const columns = [{ key: 'root', ...to(roots, 'cascade') }];
    const branches = await newDatagrid(api, columns, workspaceId);
    const leaves = await newDatagrid(
      api,
      [
        { key: 'root', ...to(roots, 'clear') },
        { key: 'branch', ...to(branches, 'cascade') },
      ],
      workspaceId,
    );
    const notes = await newDatagrid(api, [{ key: 'leaf', ...to(leaves, 'restrict') }], workspaceId);
    await createRows(api, roots, [{ name: 'a' }]);
    await createRows(api, branches, [{ root: 1 }]);
    await createRows(api, leaves, [{ branch: 1 }]);
    await createRows(api, notes, [{ leaf: 1 }]);
    expectFailure(await api.delete(`${roots}/rows/1`), 'conflict', ['rows.1 conflicting_rows']);
    expect(await valuesOf(api, leaves)).toEqual({ 1: { branch: 1 } });
    expect((await api.delete(`${notes}/rows/1`)).status).toBe(204);
    expect((await api.delete(`${roots}/rows/1`)).status).toBe(204);
    expect(await valuesOf(api, leaves)).toEqual({});
  });

  it('deletes the rows with the links with cascade, over several datagrids', async () => {
    const { customers, orders, workspaceId } = await newLinkedSheets(api, { onDelete: 'cascade' });
    const toOrder = { datagridId: idOf(orders), onDelete: 'cascade' };
    const columns = [{ key: 'order', type: 'link', options: toOrder }];
    const lines = await newDatagrid(api, columns, workspaceId);
    const notes = await newDatagrid(
      api,
      [{ key: 'line', type: 'link', options: { datagridId: idOf(lines), onDelete: 'clear' } }],
      workspaceId,
    );
    await createRows(api, orders, [{ customer: 1 }, { others: [2, 1] }, { customer: 2 }]);
    await createRows(api, lines, [{ order: 1 }, { order: 2 }, { order: 3 }]);
    await createRows(api, notes, [{ line: 1 }, { line: 3 }]);
    const operations = [
      { op: 'delete', id: 1 },
      { op: 'update', id: 2, values: { name: 'B' } },
    ];
    dataOf(await batch(customers, operations), 200);
    expect(await valuesOf(api, customers)).toEqual({ 2: { name: 'B' }, 3: { name: 'c' } });
    expect(await valuesOf(api, orders)).toEqual({ 3: { customer: 2 } });
    expect(await valuesOf(api, lines)).toEqual({ 3: { order: 3 } });
    expect(await valuesOf(api, notes)).toEqual({ 1: {}, 2: { line: 3 } });
  });

  it('is not restricted by rows that it deletes, too', async () => {
    const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    const parent = { key: 'parent', type: 'link', options: { datagridId: idOf(path) } };
    dataOf(await api.post(`${path}/columns`, parent), 201);
    await createRows(api, path, [{ name: 'a' }]);
    await createRows(api, path, [{ parent: 1 }, { parent: 1 }]);
    expectFailure(await deleteIds(path, [1, 2]), 'conflict', ['rows.1 conflicting_rows']);
    expect(dataOf(await deleteIds(path, [1, 2, 3]), 200)).toMatchObject({ deleted: 3 });
  });

  it('clears and cascades links within one datagrid in the same write', async () => {
    const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    for (const [key, onDelete] of [
      ['parent', 'cascade'],
      ['friend', 'clear'],
    ]) {
      const options = { datagridId: idOf(path), onDelete };
      dataOf(await api.post(`${path}/columns`, { key, type: 'link', options }), 201);
    }
    await createRows(api, path, [{ name: 'a' }, { name: 'b' }]);
    await createRows(api, path, [{ parent: 1 }, { friend: 1, parent: 2 }]);
    await createRows(api, path, [{ parent: 3 }, { friend: 3 }]);
    const before = dataOf(await api.get(path), 200).revision as number;
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    expect(await valuesOf(api, path)).toEqual({ 2: { name: 'b' }, 4: { parent: 2 }, 6: {} });
    expect(dataOf(await api.get(path), 200)).toMatchObject({ rowCount: 3, revision: before + 1 });
  });

  it('by a batch returns 400 if the batch links to it, and 409 if it changes a row that cascades', async () => {
    const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    const options = { datagridId: idOf(path), onDelete: 'cascade' };
    dataOf(await api.post(`${path}/columns`, { key: 'parent', type: 'link', options }), 201);
    await createRows(api, path, [{ name: 'a' }, { name: 'b' }]);
    await createRows(api, path, [{ parent: 1 }]);
    const deletion = { op: 'delete', id: 1 };
    const linking = { op: 'update', id: 2, values: { parent: 1 } };
    expectFailure(await batch(path, [deletion, linking]), 'invalid_request', [
      'values.parent unknown_row',
    ]);
    const changing = { op: 'update', id: 3, values: { name: 'c' } };
    expectFailure(await batch(path, [deletion, changing]), 'conflict');
    expect(Object.keys(await valuesOf(api, path))).toEqual(['1', '2', '3']);
  });

  it('by an undo follows the policy of the links', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    const [created] = await createRows(api, customers, [{ name: 'd' }]);
    await createRows(api, orders, [{ customer: 4 }]);
    const undo = { revision: created?.revision };
    expectFailure(await api.post(`${customers}/rows/undo`, undo), 'conflict', [
      'rows.4 conflicting_rows',
    ]);
    const options = { datagridId: idOf(customers), onDelete: 'clear' };
    dataOf(await api.patch(`${orders}/columns/customer`, { options }), 200);
    expect(dataOf(await api.post(`${customers}/rows/undo`, undo), 200)).toMatchObject({
      deleted: 1,
    });
    expect(await valuesOf(api, orders)).toEqual({ 1: {} });
  });

  it('of 10,001 links returns 409 and changes nothing', async () => {
    const { customers, orders } = await newLinkedSheets(api, { onDelete: 'clear' });
    for (let left = 10_001; left > 0; left -= 1_000) {
      const values = Array.from({ length: Math.min(left, 1_000) }, () => ({ customer: 1 }));
      await createRows(api, orders, values);
    }
    expectFailure(await api.delete(`${customers}/rows/1`), 'conflict');
    expect((await api.delete(`${orders}/rows/1`)).status).toBe(204);
    expect((await api.delete(`${customers}/rows/1`)).status).toBe(204);
    const filter = { customer: { $isNull: false } };
    const query = await api.post(`${orders}/rows/query`, { filter });
    expect(dataOf(query, 200)).toEqual([]);
  });
});

describe('a restored row', () => {
  it('returns 409 if rows that it links to are gone, and is restored after them', async () => {
    const { customers, orders } = await newLinkedSheets(api, { onDelete: 'cascade' });
    await createRows(api, orders, [{ customer: 1 }]);
    expect((await api.delete(`${customers}/rows/1`)).status).toBe(204);
    const restore = (path: string): ReturnType<ApiClient['post']> =>
      api.post(`${path}/trash/rows/restore`, { ids: [1] });
    expectFailure(await restore(orders), 'conflict', ['rows.1.values.customer unknown_row']);
    dataOf(await restore(customers), 200);
    dataOf(await restore(orders), 200);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1 } });
    expect((await api.delete(`${customers}/rows/1`)).status).toBe(204);
    expect(await valuesOf(api, orders)).toEqual({});
  });

  it('returns 409 for a version and for an undo with links to rows that are gone', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    dataOf(await api.patch(orders, { history: true }), 200);
    const [created] = await createRows(api, orders, [{ customer: 1 }]);
    const changed = dataOf(await api.patch(`${orders}/rows/1`, { values: { customer: 2 } }), 200);
    expect((await api.delete(`${customers}/rows/1`)).status).toBe(204);
    const revision = String(created?.revision);
    const version = await api.post(`${orders}/rows/1/restore`, { revision: Number(revision) });
    expectFailure(version, 'conflict', ['values.customer unknown_row']);
    const undo = await api.post(`${orders}/rows/undo`, { revision: changed.revision });
    expectFailure(undo, 'conflict', ['rows.1.values.customer unknown_row']);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 2 } });
  });
});

describe('a datagrid that others link to', () => {
  it('is deleted only after the columns that link to it, or their datagrid', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    expectFailure(await api.delete(customers), 'conflict');
    expect((await api.delete(`${orders}/columns/customer`)).status).toBe(204);
    expectFailure(await api.delete(customers), 'conflict');
    expect((await api.delete(orders)).status).toBe(204);
    expect((await api.delete(customers)).status).toBe(204);
    const restore = (path: string): ReturnType<ApiClient['post']> =>
      api.post(`/trash/${idOf(path)}/restore`, {});
    expectFailure(await restore(orders), 'conflict');
    dataOf(await restore(customers), 200);
    dataOf(await restore(orders), 200);
  });

  it('keeps rows that a datagrid in the trash links to', async () => {
    const { customers, orders } = await newLinkedSheets(api, { onDelete: 'cascade' });
    await createRows(api, orders, [{ customer: 1 }]);
    expect((await api.delete(orders)).status).toBe(204);
    expectFailure(await api.delete(`${customers}/rows/1`), 'conflict', ['rows.1 conflicting_rows']);
    expect((await api.delete(`${customers}/rows/2`)).status).toBe(204);
    expect((await api.delete(`/trash/${idOf(orders)}`)).status).toBe(204);
    expect((await api.delete(`${customers}/rows/1`)).status).toBe(204);
  });

  it('can be purged while its sources are in the trash, and their links become plain values', async () => {
    const { customers, orders } = await newLinkedSheets(api);
    await createRows(api, orders, [{ customer: 1, others: [2, 3] }]);
    for (const path of [orders, customers]) expect((await api.delete(path)).status).toBe(204);
    expect((await api.delete(`/trash/${idOf(customers)}`)).status).toBe(204);
    dataOf(await api.post(`/trash/${idOf(orders)}/restore`, {}), 200);
    const { columns } = dataOf(await api.get(orders), 200) as unknown as { columns: Json[] };
    expect(columns.map(({ type, options }) => [type as unknown, options as unknown])).toEqual([
      ['integer', {}],
      ['json', {}],
      ['text', {}],
    ]);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1, others: [2, 3] } });
  });
});

describe('rows of one datagrid that link to each other', () => {
  const newTree = async (onDelete: string): Promise<string> => {
    const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    dataOf(await api.patch(path, { history: true }), 200);
    const options = { datagridId: idOf(path), onDelete };
    dataOf(await api.post(`${path}/columns`, { key: 'parent', type: 'link', options }), 201);
    return path;
  };

  it('get cleared links back if the deletion is undone', async () => {
    const path = await newTree('clear');
    await createRows(api, path, [{ name: 'a' }, { name: 'b', parent: 1 }]);
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    expect(await valuesOf(api, path)).toEqual({ 2: { name: 'b' } });
    const { revision } = dataOf(await api.get(path), 200);
    dataOf(await api.post(`${path}/rows/undo`, { revision }), 200);
    expect(await valuesOf(api, path)).toEqual({ 1: { name: 'a' }, 2: { name: 'b', parent: 1 } });
  });

  it.each(['undo', 'trash/rows/restore'])(
    'come back together, however many they are (%s)',
    async (how) => {
      const path = await newTree('restrict');
      for (let count = 0; count < 6; count += 1) {
        await createRows(
          api,
          path,
          Array.from({ length: 1_000 }, () => ({})),
        );
      }
      const last = 6_000;
      dataOf(await api.patch(`${path}/rows/1`, { values: { parent: last } }), 200);
      dataOf(await api.post(`${path}/rows/delete`, { filter: {} }), 200);
      const { revision } = dataOf(await api.get(path), 200);
      const ids = Array.from({ length: last }, (_, index) => index + 1);
      const restored =
        how === 'undo'
          ? await api.post(`${path}/rows/undo`, { revision })
          : await api.post(`${path}/${how}`, { ids });
      expect(dataOf(restored, 200)).toMatchObject({ restored: last });
      expectFailure(await api.delete(`${path}/rows/${String(last)}`), 'conflict', [
        `rows.${String(last)} conflicting_rows`,
      ]);
    },
  );
});
