import { hasIndex } from '../../datagrids/column/column-record';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { printedRow, ROW_JSON } from '../storage/row-json-sql';
import { SqlParameters } from './filter/sql-parameters';
import type { FindPlace, FindRequest } from './find-request';
import { indexUse } from './plan/index-use';
import { matchingSql } from './plan/matching-sql';
import type { FoundSql, Span } from './plan/query-parts';
import { walkingSql } from './plan/walking-sql';

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
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const { ctes, total } = foundSql(request, parameters);
  const places = ['p.id', ...request.sort.map((_, index) => `p.k${String(index)}::text`)];
  const text = `
    WITH ${ctes}
    SELECT c.revision, c.schema_version AS "schemaVersion", ${total} AS total,
      (SELECT coalesce(json_agg(json_build_array(${places.join(', ')}) ORDER BY p.n), '[]')
        FROM page p) AS places,
      (SELECT coalesce(array_agg(${rowJson(request, parameters)} ORDER BY p.n), '{}')
        FROM page p JOIN rows r ON r.datagrid_id = $1 AND r.id = p.id) AS rows
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;
  return { text, values: parameters.values };
}

function foundSql(request: FindRequest, parameters: SqlParameters): FoundSql {
  const span = spanOf(request.place);
  const [first] = request.sort;
  const walks = first !== undefined && hasIndex(first.column) && indexUse(request.filter) === null;
  return walks
    ? walkingSql(request, first, span, parameters)
    : matchingSql(request, span, parameters);
}

function spanOf(place: FindPlace): Span {
  if (place.kind === 'page') {
    const { page, limit } = place.request;
    return { offset: (page - 1) * limit, limit };
  }
  // One more tells whether there is a next page.
  return { offset: 0, limit: place.limit + 1 };
}

function rowJson({ fields }: FindRequest, parameters: SqlParameters): string {
  if (fields === null) return ROW_JSON;
  const keys = fields.map(({ key }) => key);
  const slots = fields.map(({ slot }) => slot);
  return printedRow(`(
    SELECT coalesce(jsonb_object_agg(f.key, r."values" -> f.slot), '{}')
    FROM unnest(${parameters.add(keys, 'text[]')}, ${parameters.add(slots, 'text[]')})
      AS f(key, slot)
    WHERE r."values" ? f.slot)`);
}
