import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { filterSql } from '../find/filter/filter-sql';
import type { Filter } from '../find/filter/filter';
import { SqlParameters } from '../find/filter/sql-parameters';
import type { FindPlace, FindRequest } from '../find/find-request';
import { matchingSql } from '../find/plan/matching-sql';

/** A statement whose text depends on the filter. */
export interface MatchStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Selects the datagrid if it belongs to the account and has the columns of the schema. */
const DATAGRID = `
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;

/** Returns the statement that counts the rows that match. */
export function countSql(
  accountId: string,
  schema: DatagridSchema,
  filter: Filter,
): MatchStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const request = requestOf(filter, { kind: 'page', request: { page: 1, limit: 1 } });
  const { ctes, total } = matchingSql(request, { offset: 0, limit: 1 }, parameters);
  return { text: `WITH ${ctes} SELECT ${total} AS count ${DATAGRID}`, values: parameters.values };
}

/**
 * Returns the statement for the ids of the next rows after `afterId` that match, in ascending
 * order, and the datagrid's revision in the same snapshot.
 * @param usesIndex Whether to use the index that serves the filter, if any. Each statement then
 *   reads all entries that match. Otherwise it reads rows in id order, up to the last one found.
 */
export function nextIdsSql(
  accountId: string,
  schema: DatagridSchema,
  filter: Filter,
  { afterId, limit, usesIndex }: { afterId: number; limit: number; usesIndex: boolean },
): MatchStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const place: FindPlace = { kind: 'cursor', after: { rowId: afterId, values: [] }, limit };
  const ids = (): string => `
    found AS (
      SELECT r.id FROM rows r
      WHERE r.datagrid_id = $1 AND r.id > ${parameters.add(afterId, 'bigint')}
        AND ${filterSql(filter, parameters)}
      ORDER BY r.id LIMIT ${parameters.add(limit, 'bigint')}
    )`;
  const ctes = usesIndex
    ? matchingSql(requestOf(filter, place), { offset: 0, limit }, parameters).ctes
    : ids();
  const text = `
    WITH ${ctes}
    SELECT c.revision,
      (SELECT coalesce(json_agg(f.id ORDER BY f.id), '[]') FROM ${usesIndex ? 'page' : 'found'} f) AS ids
    ${DATAGRID}`;
  return { text, values: parameters.values };
}

function requestOf(filter: Filter, place: FindPlace): FindRequest {
  return { filter, search: null, searched: [], sort: [], fields: null, place };
}
