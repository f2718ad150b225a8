import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { importCsv } from '../import/sending';
import { createRows, idOf, type LinkedSheets, newLinkedSheets, valuesOf } from './linked-sheets';

let app: TestApp;
let team: Team;
let serial = 0;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

/** Creates a key that is limited to workspaces or datagrids. */
async function keyOf(limits: object): Promise<ApiClient> {
  const console = await app.console(team.owner);
  const body = { name: `Limited ${String((serial += 1))}`, ...limits };
  return app.api(dataOf(await console.post('/keys', body), 201).key as string);
}

const keyFor = (path: string): Promise<ApiClient> => keyOf({ datagridIds: [idOf(path)] });

describe('a key that is limited to a datagrid', () => {
  it('sets no links to another datagrid, whether or not the row exists', async () => {
    const { orders } = await newLinkedSheets(team.owner.api);
    await createRows(team.owner.api, orders, [{ customer: 1 }]);
    const api = await keyFor(orders);
    const texts = new Set<string>();
    for (const customer of [2, 99]) {
      const values = { customer };
      const operations = [{ op: 'create', values }];
      for (const response of [
        await api.post(`${orders}/rows`, { values }),
        await api.post(`${orders}/rows`, { rows: [{ values }] }),
        await api.patch(`${orders}/rows/1`, { values }),
        await api.put(`${orders}/rows/1`, { values: { others: [customer] } }),
        await api.post(`${orders}/rows/batch`, { mode: 'atomic', operations }),
        await api.post(`${orders}/rows/batch`, { mode: 'partial', operations }),
      ]) {
        expectFailure(response, 'forbidden');
        const { error } = response.body as { error: { message: string } };
        texts.add(error.message.replace(/customer|others/, 'x'));
      }
      const csv = `customer\n${String(customer)}\n`;
      expectFailure(await importCsv(api, orders, csv), 'forbidden');
    }
    expect(texts.size).toBe(1);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1 } });
  });

  it('reads links, keeps and clears them, and changes other values', async () => {
    const { orders } = await newLinkedSheets(team.owner.api);
    await createRows(team.owner.api, orders, [{ customer: 1, others: [2, 3] }]);
    const api = await keyFor(orders);
    const values = { customer: 1, others: [3], note: 'x' };
    dataOf(await api.put(`${orders}/rows/1`, { values }), 200);
    dataOf(await api.patch(`${orders}/rows/1`, { values: { customer: null } }), 200);
    expect(await valuesOf(api, orders)).toEqual({ 1: { others: [3], note: 'x' } });
  });

  it('adds no column that links to another datagrid, as if that did not exist', async () => {
    const { orders, customers } = await newLinkedSheets(team.owner.api);
    const api = await keyFor(orders);
    const column = { key: 'more', type: 'link', options: { datagridId: idOf(customers) } };
    expectFailure(await api.post(`${orders}/columns`, column), 'invalid_request', [
      'options.datagridId unknown_datagrid',
    ]);
    const own = { ...column, options: { datagridId: idOf(orders) } };
    dataOf(await api.post(`${orders}/columns`, own), 201);
  });

  it('deletes rows by the policy of the links, and does not learn which rows have them', async () => {
    const restricted = await newLinkedSheets(team.owner.api);
    const cleared = await newLinkedSheets(team.owner.api, { onDelete: 'clear' });
    for (const { orders } of [restricted, cleared]) {
      await createRows(team.owner.api, orders, [{ customer: 1 }, { customer: 1, others: [1] }]);
    }
    const remove = async ({ customers }: LinkedSheets): ReturnType<ApiClient['delete']> =>
      (await keyFor(customers)).delete(`${customers}/rows/1`);
    const response = await remove(restricted);
    expectFailure(response, 'conflict', ['rows.1 conflicting_rows']);
    expect(response.text).toContain('1 link to these rows restricts their deletion.');
    expect(response.text).toContain('a row of another datagrid links to it');
    expect(response.text).not.toContain(idOf(restricted.orders));
    expect((await remove(cleared)).status).toBe(204);
    expect(await valuesOf(team.owner.api, cleared.orders)).toEqual({ 1: {}, 2: {} });
  });

  it('does not learn which datagrid links to one that it deletes', async () => {
    const { customers, orders } = await newLinkedSheets(team.owner.api);
    const hidden = await (await keyFor(customers)).delete(customers);
    expectFailure(hidden, 'conflict');
    expect(hidden.text).toContain('A column of another datagrid links to this datagrid.');
    expect(hidden.text).not.toContain(idOf(orders));
    const named = await team.owner.api.delete(customers);
    expect(named.text).toContain(`Column customer of datagrid ${idOf(orders)} links to`);
  });
});

describe('a key that is limited to the workspace, or to both datagrids', () => {
  it('sets links', async () => {
    const { orders, customers, workspaceId } = await newLinkedSheets(team.owner.api);
    const limits = [
      { workspaceIds: [workspaceId] },
      { datagridIds: [idOf(orders), idOf(customers)] },
      { datagridIds: [idOf(orders)], workspaceIds: [workspaceId] },
    ];
    for (const limit of limits) {
      const api = await keyOf(limit);
      dataOf(await api.post(`${orders}/rows`, { values: { customer: 1 } }), 201);
    }
  });
});
