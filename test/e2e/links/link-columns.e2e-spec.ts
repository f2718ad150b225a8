import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { createRows, idOf, newLinkedSheets, valuesOf } from './linked-sheets';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

const link = (datagridId: string, rest: object = {}): object => ({
  key: 'other',
  type: 'link',
  options: { datagridId },
  ...rest,
});

describe('a link column', () => {
  it('is returned with its datagrid and its policy, which is restrict by default', async () => {
    const { api } = team.admin;
    const { orders, customers } = await newLinkedSheets(api);
    const column = dataOf(await api.get(`${orders}/columns/customer`), 200);
    expect(column).toMatchObject({
      type: 'link',
      options: { datagridId: idOf(customers), onDelete: 'restrict' },
    });
    const added = await api.post(`${orders}/columns`, link(idOf(customers).toUpperCase()));
    expect(dataOf(added, 201).options).toEqual({
      datagridId: idOf(customers),
      onDelete: 'restrict',
    });
  });

  it('can link to the datagrid itself once that exists', async () => {
    const { api } = team.admin;
    const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
    dataOf(await api.post(`${path}/columns`, link(idOf(path))), 201);
    await createRows(api, path, [{ name: 'a' }]);
    dataOf(await api.post(`${path}/rows`, { values: { other: 1 } }), 201);
    expect(await valuesOf(api, path)).toEqual({ 1: { name: 'a' }, 2: { other: 1 } });
  });

  it.each<[string, object, string]>([
    ['without a datagrid', { options: {} }, 'options.datagridId required'],
    [
      'with a malformed id',
      { options: { datagridId: 'orders' } },
      'options.datagridId invalid_format',
    ],
    [
      'with an unknown id',
      { options: { datagridId: NO_ID } },
      'options.datagridId unknown_datagrid',
    ],
  ])('returns 400 %s', async (_, change, detail) => {
    const { orders } = await newLinkedSheets(team.admin.api);
    const column = { ...link(NO_ID), ...change };
    expectFailure(await team.admin.api.post(`${orders}/columns`, column), 'invalid_request', [
      detail,
    ]);
  });

  it('returns 400 for another policy, a default value, and clear for a required column', async () => {
    const { api } = team.admin;
    const { orders, customers } = await newLinkedSheets(api);
    const datagridId = idOf(customers);
    const post = (rest: object): ReturnType<typeof api.post> =>
      api.post(`${orders}/columns`, link(datagridId, rest));
    expectFailure(await post({ options: { datagridId, onDelete: 'ignore' } }), 'invalid_request', [
      'options.onDelete not_a_choice',
    ]);
    expectFailure(await post({ defaultValue: 1 }), 'invalid_request', [
      'defaultValue incompatible_parameters',
    ]);
    expectFailure(
      await post({ required: true, options: { datagridId, onDelete: 'clear' } }),
      'invalid_request',
      ['options.onDelete incompatible_parameters'],
    );
  });

  it('returns the same 400 for a datagrid of another workspace, of another account and in the trash', async () => {
    const { api } = team.owner;
    const { orders, workspaceId } = await newLinkedSheets(api);
    const elsewhere = await newDatagrid(api, []);
    const stranger = await app.newAccount();
    const foreign = await newDatagrid(stranger.api, []);
    const trashed = await newDatagrid(api, [], workspaceId);
    expect((await api.delete(trashed)).status).toBe(204);
    const texts = new Set<string>();
    for (const path of [elsewhere, foreign, trashed, `/datagrids/${NO_ID}`]) {
      const response = await api.post(`${orders}/columns`, link(idOf(path)));
      expectFailure(response, 'invalid_request', ['options.datagridId unknown_datagrid']);
      texts.add(JSON.stringify((response.body as { error: { details: unknown } }).error.details));
    }
    expect(texts.size).toBe(1);
    const created = await api.post(`/workspaces/${await newWorkspace(api)}/datagrids`, {
      name: 'Linked elsewhere',
      columns: [link(idOf(elsewhere))],
    });
    expectFailure(created, 'invalid_request', ['columns.0.options.datagridId unknown_datagrid']);
  });

  it('changes its policy, but neither its datagrid nor its type', async () => {
    const { api } = team.admin;
    const { orders, customers, workspaceId } = await newLinkedSheets(api);
    const other = await newDatagrid(api, [], workspaceId);
    const path = `${orders}/columns/customer`;
    const options = { datagridId: idOf(customers), onDelete: 'clear' };
    expect(dataOf(await api.patch(path, { options }), 200).options).toEqual(options);
    expect(dataOf(await api.patch(path, { title: 'Customer' }), 200).options).toEqual(options);
    expectFailure(
      await api.patch(path, { options: { datagridId: idOf(other) } }),
      'invalid_request',
      ['options.datagridId incompatible_parameters'],
    );
    for (const type of ['integer', 'json', 'multiLink']) {
      expectFailure(await api.patch(path, { type, convert: true }), 'invalid_request', [
        'type incompatible_parameters',
      ]);
    }
    expectFailure(
      await api.patch(`${orders}/columns/note`, { type: 'link', options }),
      'invalid_request',
      ['type incompatible_parameters'],
    );
  });

  it('is restored from the trash as a column of ids', async () => {
    const { api } = team.admin;
    const { orders, customers } = await newLinkedSheets(api);
    await createRows(api, orders, [{ customer: 2, others: [3, 1] }]);
    for (const key of ['customer', 'others']) {
      expect((await api.delete(`${orders}/columns/${key}`)).status).toBe(204);
    }
    const trash = dataOf(await api.get(`${orders}/trash/columns`), 200) as unknown as {
      id: number;
    }[];
    for (const { id } of trash) {
      const restored = dataOf(await api.post(`${orders}/trash/columns/restore`, { id }), 200);
      expect(restored.options).toEqual({});
    }
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 2, others: [3, 1] } });
    expect((await api.delete(`${customers}/rows/2`)).status).toBe(204);
  });
});
