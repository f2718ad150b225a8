import type { JsonValue } from '../../../common/json/token-reader';
import { timeText } from '../../storage/row-json-sql';
import { isEveryRow } from '../filter/parse-filter';
import { type SqlParameters, operandSql } from '../filter/value-sql';
import type { QueryColumn } from '../query-column';
import type { QueryRequest } from '../query-request';
import { conjuncts, indexUse, type NamedRowsSql } from './query-parts';

/** Maximum number of writes, and of rows that they name, that are looked up in place of a full scan. */
const MAX_WRITES = 10_000;
const MAX_ROWS = 50_000;

/** Number of writes among which the latest rows are looked for, and of rows for each one needed. */
const MAX_LATEST_WRITES = 1_000;
const NAMED_FOR_EACH = 5;

/**
 * Rows whose revision, or whose time of the last write, is not below a bound. The change log names the
 * rows that were written since, so that no other rows have to be read.
 */
export interface ChangedSince {
  readonly column: QueryColumn;
  /** The bound; `null` for one above which the log names enough rows. */
  readonly value: JsonValue;
  /** Number of rows that are enough; `null` if all are needed. */
  readonly rows: number | null;
}

/** Attributes of which the change log is an order, as SQL of an entry `l` of the log. */
const LOGGED: ReadonlyMap<string, string> = new Map([
  ['_revision', 'l.revision'],
  ['_updatedAt', `${timeText('l.at')} COLLATE "C"`],
]);

const BOUNDS: ReadonlySet<string> = new Set(['$eq', '$gt', '$gte']);

/**
 * Returns from where the change log serves a query: from its cursor, from a condition of its filter, or
 * for a first page of the latest rows. `null` if it has none of them, or if the index of a unique column
 * finds the rows.
 */
export function changedSince(request: QueryRequest): ChangedSince | null {
  const { filter, search, sort, pagination } = request;
  const use = indexUse(filter);
  if (use?.column.unique === true && use.conditions.some(isEquality)) return null;
  const [first] = sort;
  const order = first && LOGGED.has(first.column.key) ? first : null;
  const after = pagination.kind === 'cursor' ? pagination.after : null;
  const position = after?.values[0] ?? null;
  if (order && !order.isDescending && position !== null) {
    return { column: order.column, value: position, rows: null };
  }
  for (const part of conjuncts(filter)) {
    if (part.kind !== 'column') continue;
    const { column, operator, operands } = part;
    const [value] = operands;
    if (value === undefined || !LOGGED.has(column.key) || !BOUNDS.has(operator.name)) continue;
    return { column, value, rows: null };
  }
  // Matching rows that the log does not name would be missing in the total of a page.
  const isCounted = pagination.kind === 'page' && !(isEveryRow(filter) && search === null);
  const rows = rowsOf(pagination);
  if (order?.isDescending !== true || after !== null || isCounted) return null;
  return NAMED_FOR_EACH * rows > MAX_ROWS ? null : { column: order.column, value: null, rows };
}

/** Returns the number of rows up to the end of a page, or to the row after it. */
function rowsOf(pagination: QueryRequest['pagination']): number {
  if (pagination.kind === 'cursor') return pagination.limit + 1;
  return pagination.request.page * pagination.request.limit;
}

const isEquality = ({ operator }: { readonly operator: { readonly name: string } }): boolean =>
  operator.name === '$eq' || operator.name === '$in';

const LOG = 'FROM datagrid_changes l WHERE l.datagrid_id = $1';

const newest = (limit: number): string =>
  `(SELECT l.* ${LOG} ORDER BY l.revision DESC LIMIT ${String(limit + 1)}) l`;

/**
 * Returns SQL for the rows that have been written since. It is not complete if the log has expired, or
 * lacks the writes of a release that did not write it, or if there are too many; `changed` is then empty.
 */
export function changedSinceSql(since: ChangedSince, parameters: SqlParameters): NamedRowsSql {
  const { column, rows } = since;
  const isComplete = '(SELECT is_complete FROM coverage)';
  const ctes = [
    `bound AS MATERIALIZED (SELECT coalesce((${boundSql(since, parameters)}), 0) AS revision)`,
    `entries AS MATERIALIZED (
      SELECT l.part, l.revisions, l.kind, l.first_id, l.row_count, l.row_ids
      ${LOG} AND l.revision > (SELECT revision FROM bound)
      ORDER BY l.revision LIMIT ${String(MAX_WRITES + 1)}
    )`,
    `coverage AS MATERIALIZED (
      SELECT (SELECT revision FROM bound) + coalesce(sum(revisions) FILTER (WHERE part = 0), 0)
          = (SELECT revision FROM datagrid_counters WHERE datagrid_id = $1)
        AND coalesce(sum(row_count), 0) <= ${String(MAX_ROWS)} AS is_complete
      FROM entries
    )`,
    `changed AS MATERIALIZED (
      SELECT DISTINCT n.id FROM (
        SELECT generate_series(first_id, first_id + row_count - 1) AS id
        FROM entries WHERE first_id IS NOT NULL AND ${isComplete}
        UNION ALL
        SELECT unnest(row_ids) FROM entries WHERE kind <> 'delete' AND ${isComplete}
      ) n
    )`,
  ];
  if (rows === null) return { ctes, where: [], isComplete };
  const entry = `SELECT ${LOGGED.get(column.key) ?? ''} ${LOG} AND l.revision <= bound.revision`;
  return {
    ctes: [
      ...ctes,
      `edge AS MATERIALIZED (
        SELECT revision, (${entry} ORDER BY l.revision DESC LIMIT 1) AS value FROM bound
      )`,
    ],
    // Rows at the edge can have the same time as rows that the entries do not name.
    where: [
      `((SELECT revision FROM edge) = 0 OR ${column.attribute?.sql ?? ''} > (SELECT value FROM edge))`,
    ],
    isComplete: `${isComplete} AND ((SELECT revision FROM edge) = 0
      OR (SELECT count(*) FROM found) >= ${parameters.add(rows, 'bigint')})`,
  };
}

/** Returns a SELECT of the last revision before the bound. The times of writes never go back. */
function boundSql({ column, value, rows }: ChangedSince, parameters: SqlParameters): string {
  if (rows === null) {
    const operand = operandSql(column, value, parameters);
    return `SELECT l.revision FROM ${newest(MAX_WRITES)}
      WHERE ${LOGGED.get(column.key) ?? ''} < ${operand} ORDER BY l.revision DESC LIMIT 1`;
  }
  return `SELECT max(l.revision - l.revisions) FROM (
      SELECT l.revision, l.revisions, sum(l.row_count) OVER (ORDER BY l.revision DESC) AS named
      FROM ${newest(MAX_LATEST_WRITES)}
    ) l
    WHERE l.named >= ${parameters.add(NAMED_FOR_EACH * rows, 'bigint')}`;
}
