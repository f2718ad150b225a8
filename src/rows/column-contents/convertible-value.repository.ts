import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import type { StoredJsonType } from '../../datagrids/column-type/descriptor';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { VISIBLE_VALUES } from '../storage/row-json-sql';
import { MAX_VALUE_BYTES } from './stored-value.repository';
import { BATCH_SQL, type Batch } from './unique-claim.repository';

/** Each OFFSET keeps PostgreSQL from decompressing a row more than once. */
const READ: Statement = {
  name: 'convertible-value-read',
  text: `
    SELECT id, jsonb_typeof(value) AS "jsonType", value #>> '{}' AS text
    FROM (
      SELECT id, value, coalesce(sum(pg_column_size(value)) OVER (
        ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS start
      FROM (
        SELECT id, "values" -> $4::text AS value FROM (${BATCH_SQL}) batch
        ORDER BY id OFFSET 0
      ) stored
    ) summed
    WHERE start < ${String(MAX_VALUE_BYTES)}
    ORDER BY id`,
};

/** No value is compressed to less than 1/300, so that most rows need not be printed. */
const LARGE_ROW: Statement = {
  name: 'convertible-value-large-row',
  text: `
    SELECT min(r.id) AS id FROM rows r JOIN datagrids d ON d.id = r.datagrid_id
    WHERE r.datagrid_id = $1 AND d.id = $1 AND r.id = ANY($2::bigint[])
      AND pg_column_size(r."values") > $3::int / 300
      AND octet_length((${VISIBLE_VALUES})::text) > $3::int`,
};

export interface ConvertibleValue {
  readonly id: number;
  /** Both are `null` if the row has no value. */
  readonly jsonType: StoredJsonType | null;
  /** A string as is, any other value as JSON. */
  readonly text: string | null;
}

/** Reads the values of a column to convert them, one batch of rows at a time, in row id order. */
@Injectable()
export class ConvertibleValueRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads rows of the batch until the values reach 1 MiB; the last value can exceed it. Returns an
   * empty array if no rows follow.
   */
  async read(
    { datagridId, slot }: StoredColumn,
    { afterId, maxBytes }: Batch,
  ): Promise<ConvertibleValue[]> {
    return this.database.run<ConvertibleValue>(READ, [datagridId, afterId, maxBytes, slot]);
  }

  /** Returns the first of the rows with more bytes of values, as JSON; `null` if there is none. */
  async findLargeRow(
    datagridId: string,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<number | null> {
    const [found] = await this.database.run<{ id: number | null }>(LARGE_ROW, [
      datagridId,
      ids,
      maxBytes,
    ]);
    return found?.id ?? null;
  }
}
