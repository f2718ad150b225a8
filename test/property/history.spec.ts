import * as fc from 'fast-check';
import { FileBody, type ApiClient, type ApiResponse } from '../support/api-client';
import { dataOf, newDatagrid, newTeam, type Team } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { TestApp } from '../support/test-app';
import { problemsOf } from '../support/verify';

const RUNS = sampleSize({ few: 12, all: 30 });

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

interface Row {
  readonly id: number;
  readonly values: object;
  readonly revision: number;
}

interface Entry {
  readonly revision: number;
  readonly operation: string;
  readonly values: object | null;
}

/** The rows by id, and the writes of each row, oldest first. */
interface Model {
  rows: ReadonlyMap<number, Row>;
  readonly histories: Map<number, Entry[]>;
}

/** A write, which may be rejected. */
interface Write {
  readonly kind: string;
  readonly isUndone: boolean;
  readonly run: (api: ApiClient, datagrid: string, model: Model) => Promise<ApiResponse>;
}

const few = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const n = fc.integer({ min: 0, max: 5 });
const values = fc.record(
  { sku: few('a', 'b', 'c', 'd', 'e', null), n: fc.option(n) },
  { requiredKeys: [] },
);
const id = fc.integer({ min: 1, max: 20 });
const operation = fc.oneof(
  fc.record({ op: few('create'), values }),
  fc.record({ op: few('update', 'replace'), id, values }),
  fc.record({ op: few('delete'), id }),
  fc.record({ op: few('upsert'), matchOn: few(['sku']), values }),
);
const rows = fc.array(values, { minLength: 1, maxLength: 5 });
const linesOf = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const write = <T>(
  kind: string,
  given: fc.Arbitrary<T>,
  run: (api: ApiClient, datagrid: string, value: T, model: Model) => Promise<ApiResponse>,
): fc.Arbitrary<Write> =>
  fc.record({ given, isUndone: fc.boolean() }).map(({ given: value, isUndone }) => ({
    kind,
    isUndone,
    run: (api, datagrid, model) => run(api, datagrid, value, model),
  }));

const writes = fc.array(
  fc.oneof(
    write('create', values, (api, path, row) => api.post(`${path}/rows`, { values: row })),
    write('create many', rows, (api, path, many) =>
      api.post(`${path}/rows`, { rows: many.map((each) => ({ values: each })) }),
    ),
    write('batch', fc.array(operation, { minLength: 1, maxLength: 8 }), (api, path, operations) =>
      api.post(`${path}/rows/batch`, { mode: 'partial', operations }),
    ),
    write('update', fc.tuple(id, values), (api, path, [rowId, row]) =>
      api.patch(`${path}/rows/${String(rowId)}`, { values: row }),
    ),
    write('delete', id, (api, path, rowId) => api.delete(`${path}/rows/${String(rowId)}`)),
    write('delete by filter', n, (api, path, min) =>
      api.post(`${path}/rows/delete`, { filter: { n: { $gte: min } } }),
    ),
    write('import', rows, (api, path, lines) =>
      api.post(
        `${path}/rows/import?mode=upsert&matchOn=sku&onError=skip`,
        new FileBody('application/x-ndjson', linesOf(lines)),
      ),
    ),
    write('restore', fc.tuple(id, fc.nat()), (api, path, [rowId, place], { histories }) => {
      const history = (histories.get(rowId) ?? []).filter(({ values: row }) => row !== null);
      const revision = history[place % Math.max(1, history.length)]?.revision ?? 1;
      return api.post(`${path}/rows/${String(rowId)}/restore`, { revision });
    }),
    write('undo', fc.nat(), async (api, path, place) => {
      const revision = await revisionOf(path);
      const body = { revision: 1 + (place % (revision + 1)), skipConflicts: place % 2 === 0 };
      return api.post(`${path}/rows/undo`, body);
    }),
  ),
  { minLength: 1, maxLength: 15 },
);

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

async function rowsOf(datagrid: string): Promise<Map<number, Row>> {
  const data = dataOf(await team.viewer.api.get(`${datagrid}/rows?limit=200`), 200) as Row[];
  return new Map(data.map((row) => [row.id, row]));
}

const revisionOf = async (datagrid: string): Promise<number> =>
  dataOf(await team.viewer.api.get(datagrid), 200).revision;

/** Adds to the histories how the rows differ from those before. */
async function observe(datagrid: string, model: Model): Promise<void> {
  const [after, revision] = [await rowsOf(datagrid), await revisionOf(datagrid)];
  const add = (rowId: number, entry: Entry): void => {
    model.histories.set(rowId, [...(model.histories.get(rowId) ?? []), entry]);
  };
  for (const row of after.values()) {
    const before = model.rows.get(row.id);
    if (before?.revision === row.revision) continue;
    const operation = before ? 'updated' : 'created';
    add(row.id, { revision: row.revision, operation, values: row.values });
  }
  for (const rowId of model.rows.keys()) {
    if (!after.has(rowId)) add(rowId, { revision, operation: 'deleted', values: null });
  }
  model.rows = after;
}

const valuesOf = (byId: ReadonlyMap<number, Row>): [number, object][] =>
  [...byId.values()].map((row) => [row.id, row.values]);

describe('the history of rows', () => {
  it('equals a model after random writes, and an undo returns each row to its earlier state', async () => {
    const undone = new Set<string>();
    await fc.assert(
      fc.asyncProperty(writes, async (given) => {
        const datagrid = await newDatagrid(team.owner.api, COLUMNS);
        dataOf(await team.owner.api.patch(datagrid, { history: true }), 200);
        const model: Model = { rows: new Map(), histories: new Map() };
        const { api } = team.editor;
        for (const { kind, run, isUndone } of given) {
          const [before, revision] = [model.rows, await revisionOf(datagrid)];
          expect((await run(api, datagrid, model)).status).toBeLessThan(500);
          await observe(datagrid, model);
          const now = await revisionOf(datagrid);
          if (!isUndone || now !== revision + 1) continue;
          dataOf(await api.post(`${datagrid}/rows/undo`, { revision: now }), 200);
          await observe(datagrid, model);
          expect(valuesOf(model.rows)).toEqual(valuesOf(before));
          undone.add(kind);
        }
        for (const [rowId, entries] of model.histories) {
          const url = `${datagrid}/rows/${String(rowId)}/history?limit=200`;
          const data = dataOf(await team.viewer.api.get(url), 200) as Entry[];
          const found = data.map((entry) => ({
            revision: entry.revision,
            operation: entry.operation,
            values: entry.values,
          }));
          expect(found).toEqual([...entries].reverse());
        }
      }),
      { numRuns: RUNS },
    );
    expect(undone.size).toBeGreaterThan(3);
  }, 300_000);
});
