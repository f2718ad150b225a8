import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { printedRow, ROW_JSON } from '../storage/row-json-sql';
import { afterSql } from './cursor/cursor-sql';
import { filterSql } from './filter/filter-sql';
import { SqlParameters } from './filter/sql-parameters';
import { valueSql, withoutCase } from './filter/value-sql';
import type { FindRequest } from './find-request';

/** A statement of its own for each question: its text depends on the filter's form. */
export interface FindStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The page's rows in their order, with the total where pages are numbered, all of one snapshot;
 * no row where the account has no such datagrid, or other columns than `schema`.
 */
export function findSql(
  accountId: string,
  schema: DatagridSchema,
  request: FindRequest,
): FindStatement {
  const { place } = request;
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const order = request.sort.map(({ column }) => valueSql(column, parameters));
  const met = conditions(request, parameters);
  const keys = order.map((value, index) => `${value} AS k${String(index)}`);
  const sorted = request.sort.map(
    ({ isDescending }, index) => `k${String(index)}${isDescending ? ' DESC' : ''} NULLS LAST`,
  );
  const isCounted = place.kind === 'page' && met.length > 0;
  const [offset, limit] =
    place.kind === 'page'
      ? [(place.request.page - 1) * place.request.limit, place.request.limit]
      : // One more tells whether there is a next page.
        [0, place.limit + 1];
  const text = `
    WITH found AS ${isCounted ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (
      SELECT ${['r.id', ...keys].join(', ')} FROM rows r
      WHERE ${['r.datagrid_id = $1', ...met].join(' AND ')}
    ), page AS (
      SELECT *, row_number() OVER () AS n FROM (
        SELECT * FROM found ORDER BY ${[...sorted, 'id'].join(', ')}
        OFFSET ${parameters.add(offset, 'bigint')} LIMIT ${parameters.add(limit, 'bigint')}
      ) p
    )
    SELECT c.revision, c.schema_version AS "schemaVersion",
      ${isCounted ? '(SELECT count(*) FROM found)' : 'c.row_count'} AS total,
      (SELECT coalesce(json_agg(json_build_array(p.id${keys.map((_, i) => `, p.k${String(i)}::text`).join('')}) ORDER BY n), '[]') FROM page p) AS places,
      (SELECT coalesce(array_agg(${rowJson(request, parameters)} ORDER BY p.n), '{}')
        FROM page p JOIN rows r ON r.datagrid_id = $1 AND r.id = p.id) AS rows
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;
  return { text, values: parameters.values };
}

function conditions(
  { filter, search, searched, sort, place }: FindRequest,
  parameters: SqlParameters,
): string[] {
  const met: string[] = [];
  const isEmpty = filter.kind === 'and' && filter.parts.length === 0;
  if (!isEmpty) met.push(filterSql(filter, parameters));
  if (search !== null) {
    const needle = withoutCase(parameters.add(search, 'text'));
    const hits = searched.map(
      (column) => `strpos(${withoutCase(valueSql(column, parameters))}, ${needle}) > 0`,
    );
    met.push(hits.length === 0 ? 'false' : `(${hits.join(' OR ')})`);
  }
  if (place.kind === 'cursor' && place.after) met.push(afterSql(sort, place.after, parameters));
  return met;
}

function rowJson({ fields }: FindRequest, parameters: SqlParameters): string {
  if (fields === null) return ROW_JSON;
  const keys = parameters.add(
    fields.map(({ key }) => key),
    'text[]',
  );
  const slots = parameters.add(
    fields.map(({ slot }) => slot),
    'text[]',
  );
  return printedRow(`(
    SELECT coalesce(jsonb_object_agg(f.key, r."values" -> f.slot), '{}')
    FROM unnest(${keys}, ${slots}) AS f(key, slot) WHERE r."values" ? f.slot)`);
}
