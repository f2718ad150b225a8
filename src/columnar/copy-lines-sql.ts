import { decompressed } from '../rows/storage/row-json-sql';
import { withoutCase } from '../rows/storage/unique-sql';
import { SqlLiterals } from '../rows/query/filter/value-sql';
import type { CopyColumn } from './copy-table';

/** Form of the lines: missing values are `\N` without quotes. */
const CSV = String.raw`TO STDOUT (FORMAT csv, NULL '\N')`;

/**
 * Returns a COPY of rows as lines: id, whether the row is gone, revision, times in milliseconds, then each
 * value. Columns with a lower-case text have a second field, which is NULL for ASCII text: DuckDB's `lower`
 * then gives the same.
 * @param rows FROM item with `id`, `is_gone`, and the columns of `rows`, whose values may be compressed.
 */
export function copyLinesSql(rows: string, columns: readonly CopyColumn[]): string {
  const sql = new SqlLiterals();
  const values = columns.map((column, index) => `${valueSql(column, sql)} AS x${String(index)}`);
  const lines = columns.flatMap(({ isFolded }, index) => {
    const name = `x${String(index)}`;
    return isFolded ? [name, foldedSql(name)] : [name];
  });
  const before = ['r.id', 'r.is_gone', 'r.revision', msSql('r.created_at'), msSql('r.updated_at')];
  const inner = ['r.*', ...values].join(', ');
  return `COPY (
      SELECT ${[...before, ...lines].join(', ')} FROM (
        SELECT ${inner} FROM (
          SELECT r.id, r.is_gone, r.revision, r.created_at, r.updated_at,
            ${decompressed('r."values"')} AS "values"
          FROM (${rows}) r OFFSET 0
        ) r OFFSET 0
      ) r
    ) ${CSV}`;
}

const msSql = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::bigint`;

function valueSql({ slot, kind }: CopyColumn, sql: SqlLiterals): string {
  const name = sql.add(slot, 'text');
  if (kind === 'presence') return `r."values" ? ${name}`;
  if (kind === 'texts' || kind === 'ids' || kind === 'json') return `(r."values" -> ${name})::text`;
  return `r."values" ->> ${name}`;
}

/** NULL for ASCII text, which DuckDB converts alike. */
const foldedSql = (text: string): string =>
  `CASE WHEN octet_length(r.${text}) <> char_length(r.${text}) THEN ${withoutCase(`r.${text}`)} END`;

/** Rows of a range of ids, in order. */
export function rangeSql(datagridId: string, afterId: number, toId: number): string {
  const sql = new SqlLiterals();
  return `SELECT false AS is_gone, r.* FROM rows r
    WHERE r.datagrid_id = ${sql.add(datagridId, 'uuid')}
      AND r.id > ${sql.add(afterId, 'bigint')} AND r.id <= ${sql.add(toId, 'bigint')}
    ORDER BY r.id OFFSET 0`;
}

/** Selects rows by id. A missing row has `is_gone`. */
export function namedSql(datagridId: string, ids: readonly number[]): string {
  const sql = new SqlLiterals();
  return `SELECT c.id, r.id IS NULL AS is_gone, r.revision, r.created_at, r.updated_at, r."values"
    FROM unnest(${sql.add(ids, 'bigint[]')}) AS c(id)
    LEFT JOIN LATERAL (
      SELECT * FROM rows WHERE datagrid_id = ${sql.add(datagridId, 'uuid')} AND id = c.id OFFSET 0
    ) r ON true`;
}
