import { randomUUID } from 'node:crypto';
import { Ajv } from 'ajv';
import type { FieldError } from '../../../src/common/error/app-error';
import type { Json } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { McpTestClient } from '../../support/mcp-client';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let mcp: McpTestClient;
let workspaceId: string;
let datagridId: string;

const COLUMNS = [
  { key: 'iata', type: 'text', unique: true, required: true },
  { key: 'country', type: 'select', options: { choices: ['CH', 'FR'] } },
  { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
  { key: 'elevation', type: 'integer' },
  { key: 'price', type: 'decimal' },
  { key: 'note', type: 'json' },
];

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  mcp = await McpTestClient.connect(app.origin, owner.key);
  workspaceId = await newWorkspace(owner.api);
});

beforeEach(async () => {
  const path = await newDatagrid(owner.api, COLUMNS, workspaceId);
  datagridId = path.slice('/datagrids/'.length);
  await mcp.ok('create_rows', {
    datagridId,
    rows: [
      { values: { iata: 'ZRH', country: 'CH', elevation: 432, price: '1.50', tags: ['a'] } },
      { values: { iata: 'GVA', country: 'CH', elevation: 430 } },
      { values: { iata: 'LYS', country: 'FR', note: { deep: [1, 'x'] } } },
    ],
  });
});

/** Returns one member of each item of a list. */
const pluck = (items: Json, name: string): unknown[] =>
  (items as Record<string, unknown>[]).map((item) => item[name]);

afterAll(async () => {
  await mcp.close();
  await app.close();
});

describe('the MCP server', () => {
  it('lists all tools for an owner, with annotations', async () => {
    const tools = await mcp.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'whoami',
      'list_workspaces',
      'list_datagrids',
      'describe_datagrid',
      'query_rows',
      'get_row',
      'aggregate_rows',
      'list_changes',
      'list_sql_tables',
      'run_sql',
      'create_rows',
      'update_rows',
      'upsert_rows',
      'delete_rows',
    ]);
    const writes = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(
      writes.map(({ name, annotations }) => [
        name,
        annotations?.destructiveHint,
        annotations?.idempotentHint,
      ]),
    ).toEqual([
      ['create_rows', false, false],
      ['update_rows', true, true],
      ['upsert_rows', true, true],
      ['delete_rows', true, true],
    ]);
  });

  it('tells models how to begin', () => {
    expect(mcp.instructions).toContain('Before you query or write rows, call describe_datagrid');
  });
});

describe('the tools that read', () => {
  it('return the current key, workspaces and datagrids as the API does', async () => {
    expect((await mcp.ok('whoami')).data).toEqual(dataOf(await owner.api.get('/me'), 200));
    expect(await mcp.ok('list_workspaces', { limit: 200 })).toEqual(
      (await owner.api.get('/workspaces?limit=200')).body,
    );
    expect(await mcp.ok('list_datagrids', { workspaceId, limit: 1, page: 2 })).toEqual(
      (await owner.api.get(`/workspaces/${workspaceId}/datagrids?limit=1&page=2`)).body,
    );
  });

  it('describe the columns of a datagrid with their operators and the schema of their values', async () => {
    const { data } = await mcp.ok('describe_datagrid', { datagridId });
    expect(data).toMatchObject({ id: datagridId, rowCount: 3 });
    const [iata, country, tags, , , note] = data.columns;
    expect(iata).toMatchObject({ key: 'iata', unique: true, sortable: true });
    expect(iata.filterOperators).toContain('$startsWith');
    expect(country.filterOperators).toEqual(['$eq', '$ne', '$in', '$nin', '$isNull']);
    expect(tags).toMatchObject({ sortable: false });
    expect(tags.filterOperators).toEqual(['$contains', '$containsAny', '$isNull']);
    expect(note.filterOperators).toEqual(['$isNull']);
    expect(data.valuesSchema.required).toEqual(['iata']);
    const validate = new Ajv({ strict: false }).compile(data.valuesSchema);
    const verdict = (values: object): boolean => validate(values);
    expect(verdict({ iata: 'A', country: 'CH', tags: ['a', 'b'], elevation: 1, note: [1] })).toBe(
      true,
    );
    expect(verdict({ iata: 'A', country: null, price: '1.5' })).toBe(true);
    expect(verdict({ country: 'CH' })).toBe(false);
    expect(verdict({ iata: 'A', country: 'DE' })).toBe(false);
    expect(verdict({ iata: 'A', tags: ['c'] })).toBe(false);
    expect(verdict({ iata: 'A', elevation: 1.5 })).toBe(false);
    expect(verdict({ iata: 'A', price: 1.5 })).toBe(false);
    expect(verdict({ iata: 'A', unknown: 1 })).toBe(false);
  });

  it('describe links as IDs of rows', async () => {
    const options = { datagridId };
    const columns = [
      { key: 'one', type: 'link', options },
      { key: 'many', type: 'multiLink', options },
    ];
    const path = await newDatagrid(owner.api, columns, workspaceId);
    const id = path.replace('/datagrids/', '');
    const { data } = await mcp.ok('describe_datagrid', { datagridId: id });
    const validate = new Ajv({ strict: false }).compile(data.valuesSchema);
    expect(validate({ one: 1, many: [2, 1] })).toBe(true);
    expect(validate({ one: null, many: null })).toBe(true);
    expect(validate({ one: 1.5 })).toBe(false);
    expect(validate({ many: ['1'] })).toBe(false);
  });

  it('describe computed columns without operators, and leave them out of the values to write', async () => {
    const columns = [
      { key: 'one', type: 'link', options: { datagridId } },
      { key: 'code', type: 'lookup', options: { link: 'one', column: 'iata' } },
    ];
    const path = await newDatagrid(owner.api, columns, workspaceId);
    const { data } = await mcp.ok('describe_datagrid', {
      datagridId: path.replace('/datagrids/', ''),
    });
    expect(data.columns[1]).toMatchObject({
      ...columns[1],
      filterOperators: [],
      sortable: false,
    });
    expect(Object.keys(data.valuesSchema.properties as object)).toEqual(['one']);
  });

  it('return linked rows of a page', async () => {
    const name = { key: 'name', type: 'text' };
    const path = await newDatagrid(owner.api, [name]);
    const id = path.replace('/datagrids/', '');
    const parent = { key: 'parent', type: 'link', options: { datagridId: id } };
    expect((await owner.api.post(`${path}/columns`, parent)).status).toBe(201);
    for (const values of [{ name: 'root' }, { name: 'leaf', parent: 1 }]) {
      expect((await owner.api.post(`${path}/rows`, { values })).status).toBe(201);
    }
    const { meta } = await mcp.ok('query_rows', { datagridId: id, expand: 'parent' });
    expect(meta.linked).toMatchObject({ parent: { 1: { values: { name: 'root' } } } });
    const error = await mcp.error('query_rows', { datagridId: id, expand: 'name' });
    expect(error).toMatchObject({ details: [{ field: 'expand', code: 'wrong_type' }] });
  });

  it('return rows by filter, search, sort, fields and page, as the API does', async () => {
    const query = { filter: { country: 'CH' }, sort: '-elevation', fields: 'iata', limit: 1 };
    const found = await mcp.ok('query_rows', { datagridId, ...query, page: 2 });
    expect(found).toEqual(
      (await owner.api.post(`/datagrids/${datagridId}/rows/query`, { ...query, page: 2 })).body,
    );
    expect(found.data[0].values).toEqual({ iata: 'GVA' });
    expect(found.meta).toEqual({ total: 2, page: 2, pageSize: 1, totalPages: 2 });
    expect((await mcp.ok('query_rows', { datagridId, q: 'lys' })).data[0].values.note).toEqual({
      deep: [1, 'x'],
    });
  });

  it('return all rows by cursor', async () => {
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await mcp.ok('query_rows', { datagridId, limit: 2, cursor });
      seen.push(...pluck(pluck(page.data, 'values'), 'iata'));
      cursor = page.meta.nextCursor as string | null;
    }
    expect(seen).toEqual(['ZRH', 'GVA', 'LYS']);
  });

  it('return a row, aggregates and changes as the API does', async () => {
    const base = `/datagrids/${datagridId}`;
    expect(await mcp.ok('get_row', { datagridId, rowId: 2 })).toEqual(
      (await owner.api.get(`${base}/rows/2`)).body,
    );
    const groups = {
      groupBy: [{ column: 'country' }],
      aggregates: [{ function: 'count' }, { function: 'sum', column: 'elevation' }],
      sort: '-count',
    };
    const aggregated = await mcp.ok('aggregate_rows', { datagridId, ...groups });
    expect(aggregated).toEqual((await owner.api.post(`${base}/rows/aggregate`, groups)).body);
    expect(aggregated.data[0]).toEqual({
      group: { country: 'CH' },
      values: { count: 2, sum_elevation: '862' },
    });
    const first = await mcp.ok('list_changes', { datagridId, limit: 2 });
    expect(first.data).toMatchObject([
      { op: 'schema' },
      { op: 'set', row: { id: 1 } },
      { op: 'set', row: { id: 2 } },
    ]);
    const { nextCursor: cursor } = first.meta;
    const next = await mcp.ok('list_changes', { datagridId, cursor, include: 'author' });
    expect(next.data).toMatchObject([{ op: 'set', row: { id: 3 } }]);
  });

  it('reject a result that is too large, and say what to do', async () => {
    const text = 'x'.repeat(100_000);
    await mcp.ok('create_rows', {
      datagridId,
      rows: ['A', 'B', 'C'].map((iata) => ({ values: { iata, note: text } })),
    });
    const error = await mcp.error('query_rows', { datagridId });
    expect(error.code).toBe('payload_too_large');
    expect(error.message).toMatch(/more than 262144\. Use a smaller limit, or name the columns/);
    expect((await mcp.ok('query_rows', { datagridId, fields: 'iata' })).data).toHaveLength(6);
    const { data } = await mcp.ok('get_row', { datagridId, rowId: 4 });
    expect(data.values.note).toHaveLength(100_000);
  });
});

describe('the tools that write', () => {
  const rows = async (): Promise<unknown[]> =>
    pluck((await owner.api.get(`/datagrids/${datagridId}/rows`)).body.data, 'values');

  it('create rows and return their ids without values', async () => {
    const created = await mcp.ok('create_rows', {
      datagridId,
      rows: [{ values: { iata: 'BSL' } }, { values: { iata: 'LUG' } }],
    });
    expect(pluck(created.data, 'id')).toEqual([4, 5]);
    expect(created.data[0]).not.toHaveProperty('values');
    expect(await rows()).toHaveLength(5);
  });

  it('update rows by their ids, all or none', async () => {
    const updated = await mcp.ok('update_rows', {
      datagridId,
      rows: [
        { id: 1, values: { elevation: null } },
        { id: 2, values: { elevation: 1 }, ifRevision: 1 },
      ],
    });
    expect(updated.data.results).toMatchObject([
      { status: 'updated', id: 1, revision: 2 },
      { status: 'updated', id: 2, revision: 2 },
    ]);
    const error = await mcp.error('update_rows', {
      datagridId,
      rows: [
        { id: 3, values: { elevation: 7 } },
        { id: 2, values: { elevation: 8 }, ifRevision: 1 },
      ],
    });
    expect(error).toMatchObject({
      code: 'precondition_failed',
      message: "rows.1.ifRevision: does not match the row's revision, which is 2",
      details: [{ field: 'rows.1.ifRevision', code: 'revision_mismatch' }],
    });
    const [first, second, third] = await rows();
    expect([first, second, third]).toMatchObject([
      { iata: 'ZRH' },
      { elevation: 1 },
      { iata: 'LYS' },
    ]);
    expect(first).not.toHaveProperty('elevation');
    expect(third).not.toHaveProperty('elevation');
  });

  it('upsert rows by a unique column', async () => {
    const { data } = await mcp.ok('upsert_rows', {
      datagridId,
      matchOn: ['iata'],
      rows: [{ values: { iata: 'GVA', elevation: 1 } }, { values: { iata: 'NCE' } }],
    });
    expect(pluck(data.results, 'status')).toEqual(['updated', 'created']);
    expect(await rows()).toHaveLength(4);
  });

  it('delete rows by their ids, and only count with dryRun', async () => {
    const args = { datagridId, rows: [{ id: 1 }, { id: 3 }] };
    const dry = await mcp.ok('delete_rows', { ...args, dryRun: true });
    expect(dry.data.results).toEqual([
      { status: 'deleted', id: 1 },
      { status: 'deleted', id: 3 },
    ]);
    expect(await rows()).toHaveLength(3);
    await mcp.ok('delete_rows', args);
    expect(await rows()).toMatchObject([{ iata: 'GVA' }]);
    expect(await mcp.error('delete_rows', args)).toMatchObject({
      code: 'not_found',
      details: [{ field: 'rows.0.id', code: 'not_found' }],
    });
  });

  it('apply a call with an idempotency key once, and reject the key for another call', async () => {
    const call = {
      datagridId,
      rows: [{ values: { iata: 'BRN' } }],
      idempotencyKey: randomUUID(),
    };
    const first = await mcp.ok('create_rows', call);
    expect(await mcp.ok('create_rows', call)).toEqual(first);
    expect(await rows()).toHaveLength(4);
    const other = { ...call, rows: [{ values: { iata: 'SIR' } }] };
    expect(await mcp.error('create_rows', other)).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('return the errors of the API with the names of their arguments', async () => {
    const values = { iata: 'ZRH', elevation: 'high', unknown: 1 };
    const wrong = await mcp.error('create_rows', { datagridId, rows: [{ values }] });
    const api = await owner.api.post(`/datagrids/${datagridId}/rows`, { rows: [{ values }] });
    expect(wrong).toEqual({ ...api.body.error, requestId: wrong.requestId });
    expect(
      await mcp.error('update_rows', { datagridId, rows: [{ id: 1, values: { country: 'DE' } }] }),
    ).toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'rows.0.values.country', code: 'not_a_choice' }],
    });
    expect(await mcp.error('update_rows', { datagridId, rows: 'all' })).toMatchObject({
      code: 'invalid_request',
      details: [{ field: 'rows' }],
    });
    expect(
      await mcp.error('create_rows', { datagridId, rows: [{ values: { iata: 'ZRH' } }] }),
    ).toMatchObject({ code: 'conflict', details: [{ code: 'duplicate' }] });
  });

  it('reject unknown arguments and members, and missing ids', async () => {
    const rejected = async (name: string, args: object): Promise<string[]> =>
      ((await mcp.error(name, { ...args })).details as FieldError[]).map(
        ({ field, code }) => `${field} ${code}`,
      );
    expect(await rejected('whoami', { extra: 1 })).toEqual(['extra unknown_property']);
    expect(await rejected('list_changes', { datagridId, wait: 30 })).toEqual([
      'wait unknown_property',
    ]);
    expect(
      await rejected('update_rows', { datagridId, rows: [{ id: 1, values: {}, op: 'delete' }] }),
    ).toEqual(['rows.0.op unknown_property']);
    expect(await rejected('get_row', { datagridId })).toEqual(['rowId required']);
    expect(await rejected('get_row', { datagridId: {}, rowId: 1 })).toEqual([
      'datagridId wrong_type',
    ]);
    expect(await rejected('query_rows', { datagridId, limit: 201 })).toEqual([
      'limit out_of_range',
    ]);
    expect(await rejected('query_rows', { datagridId, filter: { a: 1 } })).toEqual([
      'filter.a unknown_column',
    ]);
    expect((await mcp.error('get_row', { datagridId: '../me', rowId: 1 })).code).toBe('not_found');
  });

  it('reach no other route if an argument is a word of a path in place of an id', async () => {
    // The export streams its response, which stopped the process.
    for (const rowId of ['export', 'history', '..', '1/history', '1?format=csv', 1.5, 1e21]) {
      const error = await mcp.error('get_row', { datagridId, rowId });
      expect([rowId, error.code, error.message]).toEqual([rowId, 'not_found', 'Row not found.']);
    }
    const datagrid = await mcp.error('describe_datagrid', { datagridId: '..' });
    expect(datagrid.message).toBe('Datagrid not found.');
    const workspace = await mcp.error('list_datagrids', { workspaceId: '..' });
    expect(workspace.message).toBe('Workspace not found.');
  });
});
