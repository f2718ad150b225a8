import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import type { ConflictingRows, StoredColumn } from '../../datagrids/column/column-contents';
import { QueryPool, QueryTimeoutError } from '../../platform/database/query-pool';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';

/** Maximum number of examples of rows that conflict with a change. */
export const MAX_EXAMPLES = 10;

/** Values longer than LONG_BYTES, as `jsonb`, are cut to SHORTENED_CHARACTERS. */
const LONG_BYTES = 2_048;
export const SHORTENED_CHARACTERS = 500;

/** SQL of a `jsonb` value for display. A long value is replaced by the beginning of its text. */
export const exampleValue = (value: string): string => `
  CASE WHEN pg_column_size(${value}) <= ${String(LONG_BYTES)} THEN ${value}
    ELSE to_jsonb(left(${value} #>> '{}', ${String(SHORTENED_CHARACTERS)}) || '…') END`;

/** Maximum number of rows to check. They are sorted by hash, and the hashes must fit in memory. */
const MAX_ROWS = 500_000;

const FIND = `
  WITH batch AS MATERIALIZED (
    SELECT id, ${uniqueHash('r."values"')} AS hash
    FROM (
      SELECT id, "values" FROM rows WHERE datagrid_id = $1 ORDER BY id LIMIT ${String(MAX_ROWS)}
    ) r CROSS JOIN ${uniqueColumns(2)}
  ), repeated AS MATERIALIZED (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY hash ORDER BY id) AS nth
      FROM batch WHERE hash IS NOT NULL
    ) numbered WHERE nth > 1
  )
  SELECT (SELECT count(*) FROM batch) AS checked, (SELECT count(*) FROM repeated) AS conflicting,
    (SELECT coalesce(json_agg(json_build_object('rowId', id, 'value', value) ORDER BY id), '[]')
      FROM (
        SELECT few.id, ${exampleValue('value')} AS value
        FROM (SELECT id FROM repeated ORDER BY id LIMIT ${String(MAX_EXAMPLES)}) few
        CROSS JOIN LATERAL (
          SELECT r."values" -> ($3::text[])[1] AS value FROM rows r
          WHERE r.datagrid_id = $1 AND r.id = few.id OFFSET 0
        ) v
      ) shown
    ) AS examples`;

/** Finds rows with duplicate values in a column, without the claims in `unique_values`. */
@Injectable()
export class RepeatedValueRepository {
  constructor(private readonly queries: QueryPool) {}

  /**
   * Finds the rows that repeat the value of an earlier row, among the first MAX_ROWS rows.
   * @throws AppError `query_too_expensive` if the query times out, or as `QueryPool.run`.
   */
  async find(column: StoredColumn): Promise<ConflictingRows> {
    const values = [column.datagridId, ...uniqueColumnValues({ unique: [column] })];
    try {
      const [found] = await this.queries.run<ConflictingRows>(column.accountId, FIND, values);
      return found ?? { checked: 0, conflicting: 0, examples: [] };
    } catch (error) {
      if (!(error instanceof QueryTimeoutError)) throw error;
      const message = 'The search for duplicate values timed out.';
      throw new AppError('query_too_expensive', message, { cause: error });
    }
  }
}
