import * as fc from 'fast-check';
import { authorOf } from '../../src/datagrids/change-log/change-log-sql';
import { DatagridSchemaService } from '../../src/datagrids/schema/datagrid-schema.service';
import { Database } from '../../src/platform/database/database';
import { RowReadService } from '../../src/rows/row-read.service';
import { RowChangeRepository } from '../../src/rows/write/row-change.repository';
import { RowCreateRepository } from '../../src/rows/write/row-create.repository';
import { RowDeleteRepository } from '../../src/rows/write/row-delete.repository';
import { sampleSize } from '../support/samples';
import { TestApp, type Member } from '../support/test-app';

let app: TestApp;
let owner: Member;
let workspaceId: string;
let serial = 0;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  workspaceId = (await owner.api.post('/workspaces', { name: 'Positions' })).body.data.id;
});

const AUTHOR = authorOf('service');

afterAll(() => app.close());

async function newDatagrid(): Promise<string> {
  const body = { name: `Grid ${String((serial += 1))}` };
  const created = await owner.api.post(`/workspaces/${workspaceId}/datagrids`, body);
  return created.body.data.id;
}

async function create(datagridId: string, count: number): Promise<void> {
  const schema = await app.nest
    .get(DatagridSchemaService, { strict: false })
    .get(owner.accountId, datagridId);
  const json = `[${Array.from({ length: count }, () => '{}').join(',')}]`;
  await app.nest
    .get(RowCreateRepository, { strict: false })
    .create(schema, { json, count }, AUTHOR);
}

async function remove(datagridId: string, ids: readonly number[]): Promise<void> {
  const schema = await app.nest
    .get(DatagridSchemaService, { strict: false })
    .get(owner.accountId, datagridId);
  await app.nest.get(Database).transaction(async () => {
    const write = await app.nest.get(RowChangeRepository, { strict: false }).lock(schema, AUTHOR);
    const deletes = app.nest.get(RowDeleteRepository, { strict: false });
    if (write) await deletes.delete(schema, ids, write);
  });
}

async function readPage(
  datagridId: string,
  page: number,
  limit: number,
): Promise<[number[], number]> {
  const reads = app.nest.get(RowReadService, { strict: false });
  const query = { page: String(page), limit: String(limit) };
  const { text } = await reads.list(owner, datagridId, query);
  const { data, meta } = JSON.parse(text ?? '') as {
    readonly data: readonly { readonly id: number }[];
    readonly meta: { readonly total: number; readonly pageSize: number };
  };
  expect(data).toHaveLength(meta.pageSize);
  return [data.map(({ id }) => id), meta.total];
}

async function expectPages(
  datagridId: string,
  living: readonly number[],
  limit: number,
): Promise<void> {
  const pages = Math.ceil(living.length / limit);
  const some = new Set([
    1,
    2,
    Math.ceil(pages / 3),
    Math.ceil(pages / 2),
    pages - 1,
    pages,
    pages + 1,
  ]);
  for (const page of some) {
    if (page < 1) continue;
    const expected = living.slice((page - 1) * limit, page * limit);
    expect(await readPage(datagridId, page, limit)).toEqual([expected, living.length]);
  }
}

const step = fc.oneof(
  fc.record({ create: fc.integer({ min: 1, max: 700 }) }),
  fc.record({
    removeEvery: fc.integer({ min: 1, max: 9 }),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

/** Random ids up to some millions, in clusters, so that blocks of every level are empty, full or mixed. */
const sparse = fc.record({
  last: fc.integer({ min: 1, max: 5_000_000 }),
  clusters: fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.integer({ min: 1, max: 600 }),
      stride: fc.integer({ min: 1, max: 40 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const LIVING_ONLY = `
  INSERT INTO rows SELECT $1, id, '{}', 1, now(), now() FROM unnest($2::bigint[]) AS id`;
const COUNTER = `
  UPDATE datagrid_counters SET last_row_id = $2, row_count = $3 WHERE datagrid_id = $1`;
/** Inserts the deleted rows of each block: its size up to the last id, minus its existing rows. */
const GAPS = `
  INSERT INTO row_gaps
  SELECT $1, level, block, least(size, $2 - block * size) - coalesce(living, 0)
  FROM (VALUES (0, 256), (1, 16384), (2, 1048576)) AS l(level, size)
  CROSS JOIN LATERAL generate_series(0, ($2::bigint - 1) / size) AS block
  LEFT JOIN LATERAL (
    SELECT count(*) AS living FROM rows
    WHERE datagrid_id = $1 AND id > block * size AND id <= (block + 1) * size
  ) r ON true
  WHERE least(size, $2 - block * size) > coalesce(living, 0)`;

describe('positions', () => {
  it('lead to the pages of a plain list after random creates and deletes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 200 }),
        async (steps, limit) => {
          const datagridId = await newDatagrid();
          let living: number[] = [];
          let last = 0;
          for (const next of steps) {
            if ('create' in next) {
              await create(datagridId, next.create);
              living.push(...Array.from({ length: next.create }, (_, i) => last + i + 1));
              last += next.create;
            } else {
              const from = Math.floor(next.from * living.length);
              const to = from + Math.ceil(next.share * (living.length - from));
              const gone = new Set(
                living.filter((_, i) => i >= from && i < to && i % next.removeEvery === 0),
              );
              await remove(datagridId, [...gone]);
              living = living.filter((id) => !gone.has(id));
            }
            await expectPages(datagridId, living, limit);
          }
        },
      ),
      { numRuns: sampleSize({ few: 10, all: 25 }) },
    );
  });

  it('lead to the right pages among millions of ids, most of them deleted, at every level of blocks', async () => {
    await fc.assert(
      fc.asyncProperty(
        sparse,
        fc.integer({ min: 1, max: 200 }),
        async ({ last, clusters }, limit) => {
          const ids = clusters.flatMap(({ at, length, stride }) =>
            Array.from({ length }, (_, i) => 1 + Math.floor(at * (last - 1)) + i * stride),
          );
          const living = [...new Set(ids)].filter((id) => id <= last).sort((a, b) => a - b);
          const datagridId = await newDatagrid();
          await app.sql.query(LIVING_ONLY, [datagridId, living]);
          await app.sql.query(COUNTER, [datagridId, last, living.length]);
          await app.sql.query(GAPS, [datagridId, last]);
          await expectPages(datagridId, living, limit);
        },
      ),
      { numRuns: sampleSize({ few: 10, all: 25 }) },
    );
  });
});
