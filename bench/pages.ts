import { idAt } from './data';
import { queriedPages } from './queries';
import { inTurns, type Plan } from './measure';
import { measureInTurns, ONE_ROW, type PageRequest, type PageFigure } from './page-figure';
import type { Bench, FilledDatagrid } from './prepare';
import type { Table } from './table';

const API = '/api/v1/public';

/** Measures 304 responses for a page of 200 rows, compared with a page of 20. */
export async function measureUnchanged(bench: Bench, plan: Plan, table: Table): Promise<void> {
  const path = `${API}/datagrids/${bench.middle.id}/rows?limit=`;
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

/** Measures one row, and pages of 20 and 200 rows at every size: first, middle, last, and by index. */
export async function measurePages(
  bench: Bench,
  plan: Plan,
  tenthDeleted: boolean,
): Promise<PageFigure[]> {
  const figures: PageFigure[] = [];
  for (const limit of [20, 200]) {
    const requests: PageRequest[] = [];
    for (const datagrid of bench.filled) {
      requests.push(...(await pagesOf(bench, datagrid, limit)));
      requests.push(...(await queriedPages(bench, datagrid, limit)));
    }
    figures.push(...(await measureInTurns(requests, plan, tenthDeleted)));
  }
  return figures;
}

async function pagesOf(
  bench: Bench,
  { id, rows }: FilledDatagrid,
  limit: number,
): Promise<PageRequest[]> {
  const { sql, service, bare, key } = bench;
  const counter = 'SELECT row_count FROM datagrid_counters WHERE datagrid_id = $1';
  const counted = await sql.query<{ row_count: string }>(counter, [id]);
  // The last full page. A shorter one would be faster only because it has fewer rows.
  const last = Math.floor(Number(counted.rows[0]?.row_count) / limit);
  const requests: PageRequest[] = [];
  for (const [kind, page] of Object.entries({ first: 1, middle: Math.ceil(last / 2), last })) {
    const firstId = await idAt(sql, id, (page - 1) * limit);
    const path = `${API}/datagrids/${id}/rows?page=${String(page)}&limit=${String(limit)}`;
    const barePath = `/${id}/${String(firstId)}/${String(limit)}`;
    requests.push({
      kind,
      limit,
      rows,
      service: { port: service.port, request: { method: 'GET', path, key }, expectedStatus: 200 },
      bare: { port: bare.port, request: { method: 'GET', path: barePath }, expectedStatus: 200 },
    });
  }
  if (limit === 20) {
    const rowId = String(await idAt(sql, id, Math.floor((last * limit) / 2)));
    const path = `${API}/datagrids/${id}/rows/${rowId}`;
    const barePath = `/${id}/${rowId}/1`;
    requests.push({
      ...{ kind: ONE_ROW, limit: 1, rows },
      service: { port: service.port, request: { method: 'GET', path, key }, expectedStatus: 200 },
      bare: { port: bare.port, request: { method: 'GET', path: barePath }, expectedStatus: 200 },
    });
  }
  return requests;
}
