import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { Logger } from '../../src/platform/logging/logger';
import { CopiedService } from '../e2e/columnar/copies';
import { sampleSize } from '../support/samples';
import { SEED } from '../support/seeded-random';
import type { Member } from '../support/test-app';
import { aggregateQuery, anyWrite, COLUMNS, exportQuery, pageQuery, row } from './columnar-cases';

let service: CopiedService;
let owner: Member;
let workspaceId: string;
let serial = 0;

// Starts two instances of its own: only one of them has copies.
beforeAll(async () => {
  service = await CopiedService.start();
  owner = await service.app.newAccount();
  workspaceId = (await owner.api.post('/workspaces', { name: 'Copies' })).body.data.id;
});

afterAll(() => service.close());

/** Writes, and a query after them. */
const step = fc.tuple(
  fc.array(anyWrite, { maxLength: 3 }),
  fc.oneof(pageQuery, aggregateQuery, exportQuery),
);

describe('a columnar copy', () => {
  it('returns the same bytes as PostgreSQL between writes on both instances', async () => {
    const other = service.other.api(owner.key);
    const warn = jest.spyOn(service.app.nest.get(Logger, { strict: false }).pino, 'warn');
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 60 }),
        fc.array(step, { minLength: 20, maxLength: 40 }),
        async (rows, steps) => {
          const body = { name: `Grid ${String((serial += 1))}`, columns: COLUMNS };
          const created = await owner.api.post(`/workspaces/${workspaceId}/datagrids`, body);
          const datagridId = created.body.data.id as string;
          const path = `/datagrids/${datagridId}/rows`;
          await owner.api.post(path, { rows: rows.map((values) => ({ values })) });
          await service.load(owner.accountId, datagridId);
          for (const [writes, query] of steps) {
            for (const [index, write] of writes.entries()) {
              await write(index % 2 === 0 ? other : owner.api, path);
            }
            expect(await query(owner.api, path)).toEqual(await query(other, path));
            asked += 1;
          }
        },
      ),
      { seed: SEED, numRuns: sampleSize({ few: 5, all: 400 }), endOnFailure: true },
    );
    const { served, failed } = await service.outcomes();
    process.stdout.write(
      `seed ${String(SEED)}: ${String(asked)} queries, ${String(served)} served\n`,
    );
    const reasons = warn.mock.calls.map((call: unknown[]) => inspect(call, { depth: 5 }));
    // The others name a column whose values no DECIMAL holds.
    expect(served).toBeGreaterThan(asked / 3);
    expect({ failed, reasons }).toEqual({ failed: 0, reasons: [] });
  }, 1_800_000);
});
