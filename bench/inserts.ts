import { exampleValues } from './data';
import { inTurns, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

/** Creating rows: one a request, and 1,000 a request. */
export async function measureInserts(bench: Bench, plan: Plan, table: Table): Promise<void> {
  const path = `/api/v1/public/datagrids/${bench.emptyDatagridId}/rows`;
  const post = (body: object): Parameters<typeof inTurns>[1][number] => ({
    port: bench.service.port,
    request: { method: 'POST', path, key: bench.key, body: JSON.stringify(body) },
  });
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ values: exampleValues(n) }));
  const [single, many] = await inTurns(plan, [post({ values: exampleValues(1) }), post({ rows })]);
  if (!single || !many) throw new Error('A contender is missing.');
  table.add('create 1 row', single);
  table.add('create 1,000 rows', many, `${(many.requestsPerSecond * 1000).toFixed(0)} rows/s`);
}
