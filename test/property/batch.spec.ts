import * as fc from 'fast-check';
import { ERROR_STATUS, type ErrorCode } from '../../src/common/error/app-error';
import type { ApiResponse, Json } from '../support/api-client';
import { newDatagrid } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { TestApp, type Member } from '../support/test-app';
import { problemsOf } from '../support/verify';
import { applied, type Model, type ModelOperation } from './batch-model';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'code', type: 'decimal', unique: true },
  { key: 'name', type: 'text', required: true },
  { key: 'toString', type: 'number' },
];

const few = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const values = fc.record(
  {
    sku: few(null, 'a', 'b', 'c', ''),
    code: few(null, '1', '1.0', '2', '2.50'),
    name: few('x', 'y', 'y', 'z', null),
    toString: few(null, 0, 1e21, 0.1),
  },
  { requiredKeys: [] },
);
const id = fc.integer({ min: 1, max: 6 });
const ifRevision = fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, few(1, 2, 3));
const operation: fc.Arbitrary<ModelOperation> = fc
  .oneof(
    fc.record({ op: few('create' as const), values }),
    fc.record({ op: few('update' as const, 'replace' as const), id, values, ifRevision }),
    fc.record({ op: few('delete' as const), id, ifRevision }),
    fc.record({
      op: few('upsert' as const),
      matchOn: few(['sku'], ['code'], ['sku', 'code']),
      values,
      ifRevision,
    }),
  )
  // JSON has no undefined: removes such properties.
  .map((each) => JSON.parse(JSON.stringify(each)) as ModelOperation);
const batch = fc.record({
  mode: few('atomic', 'partial', 'partial'),
  dryRun: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  operations: fc.array(operation, { minLength: 1, maxLength: 10 }),
});

interface State {
  readonly model: Model;
  readonly revision: number;
}

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

/** Returns the expected model after a batch, and the result or error code of each operation. */
function expected({ model, revision }: State, operations: ModelOperation[]): [Model, string[]] {
  let after = model;
  const results = operations.map((each) => {
    const outcome = applied(after, each, revision + 1);
    if (typeof outcome === 'string') return outcome;
    const [next, status, rowId] = outcome;
    after = next;
    return `${status} ${String(rowId)}`;
  });
  return [after, results];
}

const isDone = (result: string): boolean => result.includes(' ');
const changes = (result: string): boolean => isDone(result) && !result.startsWith('unchanged');

function resultsOf(response: ApiResponse): string[] {
  return (response.body.data.results as Json[]).map((result) =>
    result.status === 'error' ? result.error.code : `${result.status} ${String(result.id)}`,
  );
}

async function stored(datagrid: string): Promise<unknown[]> {
  const { data } = (await owner.api.get(`${datagrid}/rows?limit=200`)).body;
  return (data as Json[]).map((row) => [row.id, row.values, row.revision]);
}

describe('a batch', () => {
  it('has the results of the same operations on a plain list, in both modes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
        const datagrid = await newDatagrid(owner.api, COLUMNS);
        let state: State = { model: { rows: new Map(), nextId: 1 }, revision: 0 };
        for (const { mode, dryRun, operations } of batches) {
          const response = await owner.api.post(`${datagrid}/rows/batch`, {
            mode,
            dryRun,
            operations,
          });
          const [model, results] = expected(state, operations);
          const failures = results.filter((result) => !isDone(result));
          if (mode === 'atomic' && failures.length > 0) {
            // Values that are invalid in any case are rejected before rows are looked up.
            expect([failures[0], 'invalid_request']).toContain(response.body.error.code);
            expect(ERROR_STATUS[response.body.error.code as ErrorCode]).toBe(response.status);
          } else {
            expect(resultsOf(response)).toEqual(results);
            if (!dryRun && results.some(changes)) state = { model, revision: state.revision + 1 };
            expect(response.body.data.revision).toBe(state.revision);
          }
          const rows = [...state.model.rows].sort(([a], [b]) => a - b);
          expect(await stored(datagrid)).toEqual(
            rows.map(([rowId, row]) => [rowId, row.values, row.revision]),
          );
        }
      }),
      { numRuns: sampleSize({ few: 25, all: 60 }) },
    );
  }, 120_000);
});
