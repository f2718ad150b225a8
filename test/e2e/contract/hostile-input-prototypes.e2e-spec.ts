import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, freshName, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { expectErrorShape } from './errors-shape';

let app: TestApp;
let api: ApiClient;
let workspaceId: string;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  ({ api } = await app.newAccount());
  workspaceId = await newWorkspace(api);
  const columns = [
    { key: 't', type: 'text' },
    { key: 'j', type: 'json' },
  ];
  grid = await newDatagrid(api, columns, workspaceId);
});

afterAll(() => app.close());

/** Returns all stored resources, which must not change. */
async function stored(): Promise<string> {
  const paths = ['/workspaces', `/workspaces/${workspaceId}/datagrids`, grid, `${grid}/rows`];
  return (await Promise.all(paths.map((path) => api.get(path)))).map(({ text }) => text).join('\n');
}

describe('names of the prototype of JavaScript objects', () => {
  const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

  afterEach(() => {
    const bare = {} as Record<string, unknown>;
    expect([bare['polluted'], bare['name'], bare['values']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(inherited)('are unknown properties of every body: %s', async (name) => {
    const before = await stored();
    const bodies: [string, string, string, string][] = [
      ['POST', '/workspaces', `{"name":"x","${name}":{"polluted":1}}`, name],
      ['POST', '/workspaces', `{"${name}":{"name":"x"}}`, name],
      ['PATCH', `/workspaces/${workspaceId}`, `{"${name}":{"description":"x"}}`, name],
      ['PATCH', grid, `{"${name}":"x"}`, name],
      ['PATCH', `${grid}/columns/t`, `{"title":"x","${name}":1}`, name],
      ['POST', `${grid}/rows`, `{"values":{},"${name}":{"polluted":1}}`, name],
      ['POST', `${grid}/rows`, `{"${name}":{"values":{}}}`, name],
      ['POST', `${grid}/rows`, `{"rows":[{"values":{},"${name}":1}]}`, `rows.0.${name}`],
    ];
    for (const [method, path, body, field] of bodies) {
      const response = await api.send(method, path, body);
      expect([body, expectErrorShape(response)]).toEqual([body, 'invalid_request']);
      expect(response.body.error.details).toContainEqual({
        field,
        code: 'unknown_property',
        message: expect.stringMatching(/^is not a known property; expected one of: /) as string,
      });
    }
    expect(await stored()).toBe(before);
  });

  it.each(inherited)('are unknown properties of columns and options: %s', async (name) => {
    const bodies: [string, string][] = [
      [`{"key":"c","type":"text","${name}":1}`, name],
      [`{"key":"c","type":"text","options":{"${name}":["a"]}}`, `options.${name}`],
    ];
    for (const [column, field] of bodies) {
      const alone = await api.post(`${grid}/columns`, column);
      expectFailure(alone, 'invalid_request', [`${field} unknown_property`]);
      const within = `{"name":"x","columns":[${column}]}`;
      const inGrid = await api.post(`/workspaces/${workspaceId}/datagrids`, within);
      expectFailure(inGrid, 'invalid_request', [`columns.0.${field} unknown_property`]);
    }
  });

  it.each(inherited)('are unknown columns if the datagrid has no such one: %s', async (name) => {
    const row = dataOf(await api.post(`${grid}/rows`, { values: { t: 'x' } }), 201);
    const path = `${grid}/rows/${String(row.id)}`;
    const values = `{"values":{"${name}":{"polluted":1}}}`;
    for (const response of [
      await api.post(`${grid}/rows`, values),
      await api.patch(path, values),
      await api.put(path, values),
      await api.patch(path, `{"values":{"${name}":null}}`),
    ]) {
      expectFailure(response, 'invalid_request', [`values.${name} unknown_column`]);
    }
    expectFailure(await api.get(`${grid}/columns/${name}`), 'not_found');
    expectFailure(await api.delete(`${grid}/columns/${name}`), 'not_found');
  });

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'toJSON', 'then'])(
    'are accepted as column keys: %s',
    async (key) => {
      const own = await newDatagrid(api, [
        { key, type: 'json', required: true },
        { key: 'u', type: 'text', unique: true },
      ]);
      const value = { polluted: [1] };
      expectFailure(await api.post(`${own}/rows`, { values: {} }), 'invalid_request', [
        `values.${key} required`,
      ]);
      const created = dataOf(await api.post(`${own}/rows`, { values: { [key]: value } }), 201);
      expect(created.values).toEqual({ [key]: value });
      const merged = dataOf(await api.patch(`${own}/rows/1`, { values: { [key]: 'x' } }), 200);
      expect(merged.values).toEqual({ [key]: 'x' });
      expect(dataOf(await api.get(`${own}/rows`), 200)[0].values).toEqual({ [key]: 'x' });
      expect(dataOf(await api.get(`${own}/columns/${key}`), 200).key).toBe(key);
      const taken = await api.post(`${own}/columns`, { key, type: 'text' });
      expectFailure(taken, 'conflict', ['key duplicate']);
      expect((await api.delete(`${own}/columns/${key}`)).status).toBe(204);
      expect(dataOf(await api.get(`${own}/rows/1`), 200).values).toEqual({});
    },
  );

  it.each(['__proto__', '__defineGetter__', '_proto_', 'Constructor'])(
    'are rejected as column keys: %s',
    async (key) => {
      const response = await api.post(`${grid}/columns`, { key, type: 'text' });
      expectFailure(response, 'invalid_request', ['key invalid_format']);
    },
  );

  it('are returned as they were sent inside a json value', async () => {
    const own = await newDatagrid(api, [{ key: 'j', type: 'json' }]);
    const json =
      '{"a":[{"__proto__":1}],"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}';
    const sent = JSON.stringify(JSON.parse(json));
    const created = await api.post(`${own}/rows`, `{"values":{"j":${json}}}`);
    expect(created.status).toBe(201);
    expect(JSON.stringify(created.body.data.values.j)).toBe(sent);
    const read = dataOf(await api.get(`${own}/rows/1`), 200).values.j as Record<string, unknown>;
    // PostgreSQL stores properties in its own order.
    expect(Object.keys(read).sort()).toEqual(['__proto__', 'a', 'constructor']);
    expect(JSON.stringify(Object.getOwnPropertyDescriptor(read, '__proto__')?.value)).toBe(
      '{"polluted":true}',
    );
    expect(JSON.stringify(read['a'])).toBe('[{"__proto__":1}]');
  });

  it('are accepted as choices, names and texts', async () => {
    const type = 'multiSelect';
    const options = { choices: inherited };
    const own = await newDatagrid(api, [{ key: 'm', type, options }]);
    const row = await api.post(`${own}/rows`, { values: { m: inherited } });
    expect(dataOf(row, 201).values.m).toEqual(inherited);
    const other = await api.post(`${own}/rows`, { values: { m: ['valueOf'] } });
    expectFailure(other, 'invalid_request', ['values.m not_a_choice']);
    const name = `__proto__ ${freshName()}`;
    expect(dataOf(await api.post('/workspaces', { name }), 201).name).toBe(name);
    expect(dataOf(await api.post('/workspaces', { name: 'constructor' }), 201).name).toBe(
      'constructor',
    );
  });

  it.each(inherited)('are rejected as column types and parameters: %s', async (name) => {
    const typed = await api.post(`${grid}/columns`, { key: 'c', type: name });
    expectFailure(typed, 'invalid_request', ['type not_a_choice']);
    for (const [query, field] of [
      [`${name}=1`, name],
      [`${name}[page]=1`, `${name}[page]`],
      [`page[${name}]=1`, `page[${name}]`],
    ] as const) {
      const response = await api.get(`/workspaces?${query}`);
      expectFailure(response, 'invalid_request', [`${field} unknown_parameter`]);
    }
  });
});
