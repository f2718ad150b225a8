import { INDEXED, indexedValue } from './data';
import type { Contender } from './measure';
import type { PageRequest } from './page-figure';
import type { Bench, FilledDatagrid } from './prepare';

interface BenchQuery {
  readonly kind: string;
  readonly limit: number;
  /** Absent for a filter on one value. */
  readonly parameters?: { readonly sort: string; readonly cursor?: string };
}

export const EQUAL = 'equal by index';
const QUERIES: readonly BenchQuery[] = [
  { kind: EQUAL, limit: 20 },
  { kind: 'sorted by index', limit: 20, parameters: { sort: INDEXED } },
  { kind: 'sorted, by cursor', limit: 20, parameters: { sort: INDEXED, cursor: '' } },
  { kind: 'sorted downwards', limit: 20, parameters: { sort: `-${INDEXED}` } },
  { kind: EQUAL, limit: 200 },
];

/** Returns pages of `limit` rows that use the index of a column. */
export async function queriedPages(
  bench: Bench,
  datagrid: FilledDatagrid,
  limit: number,
): Promise<PageRequest[]> {
  const columnId = await indexedColumn(bench, datagrid);
  const queries = QUERIES.filter((query) => query.limit === limit);
  return queries.map((query) => queriedPage(bench, datagrid, columnId, query));
}

function queriedPage(
  bench: Bench,
  { id, rows }: FilledDatagrid,
  columnId: number,
  { kind, limit, parameters }: BenchQuery,
): PageRequest {
  const value = indexedValue(rows);
  const filter = JSON.stringify({ [INDEXED]: value });
  const query = new URLSearchParams({ limit: String(limit), ...(parameters ?? { filter }) });
  const order = parameters?.sort.startsWith('-') === true ? 'downwards' : 'upwards';
  const barePath = `/${id}/${order}/${String(limit)}/${String(columnId)}`;
  const bareEnd = parameters ? '' : `/${encodeURIComponent(value)}`;
  return {
    kind,
    limit,
    rows,
    service: get(
      bench.service.port,
      `/api/v1/public/datagrids/${id}/rows?${String(query)}`,
      bench.key,
    ),
    bare: get(bench.bare.port, barePath + bareEnd),
  };
}

function get(port: number, path: string, key?: string): Contender {
  return { port, request: { method: 'GET', path, key }, expectedStatus: 200 };
}

async function indexedColumn({ sql }: Bench, { id }: FilledDatagrid): Promise<number> {
  const result = await sql.query<{ id: number }>(
    'SELECT id FROM datagrid_columns WHERE datagrid_id = $1 AND key = $2',
    [id, INDEXED],
  );
  return Number(result.rows[0]?.id);
}
