import { BATCH, exampleValues } from './data';
import { inTurns, share, type Contender, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

const SINGLE_CLIENTS = 32;

/**
 * Measures the creation of rows: one per request, compared with a bare server that runs the same
 * statement, and 1,000 per request, compared with one bare `INSERT` of the same rows.
 */
export async function measureInserts(bench: Bench, plan: Plan, table: Table): Promise<void> {
  await measureSingle(bench, plan, table);
  const rows = Array.from({ length: BATCH }, (_, n) => ({ values: exampleValues(n) }));
  const operations = rows.map(({ values }) => ({ op: 'create', values }));
  const [many, batch, bare] = await inTurns(plan, [
    post(bench, '', 201, { rows }),
    post(bench, '/batch', 200, { mode: 'atomic', operations }),
    barePost(bench, `/${bench.bareDatagridId}/${String(BATCH)}`),
  ]);
  if (!many || !batch || !bare) throw new Error('A contender is missing.');
  table.add('create 1,000 rows', many, share(many, bare));
  table.add('batch of 1,000 creates', batch, share(batch, bare));
  table.add('  bare INSERT of 1,000 rows', bare);
}

async function measureSingle(bench: Bench, plan: Plan, table: Table): Promise<void> {
  const [single, bare] = await inTurns({ ...plan, connections: SINGLE_CLIENTS }, [
    post(bench, '', 201, { values: exampleValues(1) }),
    barePost(bench, `/${bench.bareSingleDatagridId}/1`),
  ]);
  if (!single || !bare) throw new Error('A contender is missing.');
  table.add(`create 1 row, ${String(SINGLE_CLIENTS)} clients`, single, share(single, bare));
  table.add('  bare', bare);
}

function post(bench: Bench, end: string, expectedStatus: number, body: object): Contender {
  const path = `/api/v1/public/datagrids/${bench.emptyDatagridId}/rows${end}`;
  return {
    port: bench.service.port,
    request: { method: 'POST', path, key: bench.key, body: JSON.stringify(body) },
    expectedStatus,
  };
}

function barePost({ bare }: Bench, path: string): Contender {
  return { port: bare.port, request: { method: 'POST', path }, expectedStatus: 200 };
}
