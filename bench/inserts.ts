import { BATCH, exampleValues } from './data';
import { inTurns, share, type Contender, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

/** Creating rows: one a request, and 1,000 a request beside one bare `INSERT` of the same rows. */
export async function measureInserts(bench: Bench, plan: Plan, table: Table): Promise<void> {
  const path = `/api/v1/public/datagrids/${bench.emptyDatagridId}/rows`;
  const post = (end: string, expectedStatus: number, body: object): Contender => ({
    port: bench.service.port,
    request: { method: 'POST', path: path + end, key: bench.key, body: JSON.stringify(body) },
    expectedStatus,
  });
  const rows = Array.from({ length: BATCH }, (_, n) => ({ values: exampleValues(n) }));
  const operations = rows.map(({ values }) => ({ op: 'create', values }));
  const [single, many, batch, bare] = await inTurns(plan, [
    post('', 201, { values: exampleValues(1) }),
    post('', 201, { rows }),
    post('/batch', 200, { mode: 'atomic', operations }),
    {
      port: bench.bare.port,
      request: { method: 'POST', path: `/${bench.bareDatagridId}` },
      expectedStatus: 200,
    },
  ]);
  if (!single || !many || !batch || !bare) throw new Error('A contender is missing.');
  table.add('create 1 row', single);
  table.add('create 1,000 rows', many, share(many, bare));
  table.add('batch of 1,000 creates', batch, share(batch, bare));
  table.add('  bare INSERT of 1,000 rows', bare);
}
