import { idAt } from './data';
import { inTurns, share, type Contender, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

const API = '/api/v1/public';

/** 304 for a page of 200 that is as the client knows it, beside a page of 20. */
export async function measureUnchanged(bench: Bench, plan: Plan, table: Table): Promise<void> {
  const path = `${API}/datagrids/${bench.datagridId}/rows?limit=`;
  const { port } = bench.service;
  const headers = { Authorization: `Bearer ${bench.key}` };
  const page = await fetch(`http://127.0.0.1:${String(port)}${path}200`, { headers });
  const ifNoneMatch = page.headers.get('ETag') ?? '';
  const request = { method: 'GET', path: `${path}20`, key: bench.key };
  const [unchanged, small] = await inTurns(plan, [
    { port, request: { ...request, path: `${path}200`, ifNoneMatch }, expectedStatus: 304 },
    { port, request, expectedStatus: 200 },
  ]);
  if (!unchanged || !small) throw new Error('A contender is missing.');
  const ratio = (unchanged.requestsPerSecond / small.requestsPerSecond).toFixed(2);
  table.add('304 for a page of 200', unchanged, `${ratio} of a page of 20`);
}

/** Pages of 20 and of 200, first and last: the service and the bare server in turns. */
export async function measurePages(
  bench: Bench,
  plan: Plan,
  table: Table,
  state: string,
): Promise<void> {
  const { sql, datagridId } = bench;
  const counter = 'SELECT row_count FROM datagrid_counters WHERE datagrid_id = $1';
  const counted = await sql.query<{ row_count: string }>(counter, [datagridId]);
  const total = Number(counted.rows[0]?.row_count);
  for (const limit of [20, 200]) {
    // The last page that is full: a shorter one would be cheaper for a wrong reason.
    const last = Math.floor(total / limit);
    const firstId = await idAt(sql, datagridId, (last - 1) * limit);
    const service = (page: number): Contender => ({
      port: bench.service.port,
      request: {
        method: 'GET',
        path: `${API}/datagrids/${datagridId}/rows?page=${String(page)}&limit=${String(limit)}`,
        key: bench.key,
      },
      expectedStatus: 200,
    });
    const bare = (id: number): Contender => ({
      port: bench.bare.port,
      request: { method: 'GET', path: `/${datagridId}/${String(id)}/${String(limit)}` },
      expectedStatus: 200,
    });
    const contenders = [service(1), bare(1), service(last), bare(firstId)];
    const [first, bareFirst, lastPage, bareLast] = await inTurns(plan, contenders);
    if (!first || !bareFirst || !lastPage || !bareLast) throw new Error('A contender is missing.');
    const name = (which: string): string => `page of ${String(limit)}, ${which}${state}`;
    table.add(name('first'), first, share(first, bareFirst));
    table.add(`  bare`, bareFirst);
    const growth = `, p50 ${(lastPage.p50Ms / first.p50Ms).toFixed(2)} × first`;
    table.add(name('last'), lastPage, share(lastPage, bareLast) + growth);
    table.add(`  bare`, bareLast);
  }
}
