import { Injectable } from '@nestjs/common';
import type { ValueShape } from '../../datagrids/column-type/value-shape';
import type { RowsAgainst, StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { BATCH_SQL, type Batch, type BatchCount } from './batch-sql';
import { exampleValue } from './examples';

/**
 * Of the values that are given out at a time, unpacked; the last one may go beyond. Printed, they
 * may take six times as much where they hold little but characters to be escaped.
 */
const MAX_VALUE_BYTES = 1024 * 1024;

/** What `jsonb` adds to a value at its head. */
const JSONB_HEAD_BYTES = 16;

const COUNT_MISSING: Statement = {
  name: 'stored-value-count-missing',
  text: `
    SELECT max(id) AS "lastId", count(*) FILTER (WHERE NOT "values" ? $4) AS count
    FROM (${BATCH_SQL}) batch`,
};

/**
 * Each OFFSET keeps an expression from being repeated where it is named, so that a row is unpacked
 * once. What the type and size of an unpacked value tell is told before it is printed.
 */
const READ: Statement = {
  name: 'stored-value-read',
  text: `
    SELECT id, verdict, value #>> '{}' AS text
    FROM (
      SELECT id, verdict, value, coalesce(sum(pg_column_size(value)) OVER (
        ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS start
      FROM (
        SELECT id, verdict, CASE WHEN verdict = 'unchecked' THEN value END AS value
        FROM (
          SELECT id, value, CASE
            WHEN value IS NULL THEN 'missing'
            WHEN $5::text IS NULL THEN 'fits'
            WHEN jsonb_typeof(value) <> $5 THEN 'refused'
            WHEN $6::int IS NULL THEN 'fits'
            WHEN pg_column_size(value) > $6 + ${String(JSONB_HEAD_BYTES)} THEN 'refused'
            ELSE 'unchecked' END AS verdict
          FROM (
            SELECT id, "values" -> $4::text AS value FROM (${BATCH_SQL}) batch
            ORDER BY id OFFSET 0
          ) stored
          ORDER BY id OFFSET 0
        ) judged
        ORDER BY id OFFSET 0
      ) kept
    ) summed
    WHERE start < ${String(MAX_VALUE_BYTES)}
    ORDER BY id`,
};

const HAS_ROWS_AFTER: Statement = {
  name: 'stored-value-has-rows-after',
  text: 'SELECT EXISTS (SELECT FROM rows WHERE datagrid_id = $1 AND id > $2) AS found',
};

const EXAMPLES: Statement = {
  name: 'stored-value-examples',
  text: `
    SELECT id AS "rowId", ${exampleValue('value')} AS value
    FROM (
      SELECT id, "values" -> $3::text AS value FROM rows
      WHERE datagrid_id = $1 AND id = ANY($2::bigint[]) OFFSET 0
    ) r
    ORDER BY id`,
};

export interface StoredValue {
  readonly id: number;
  /** What is known of it without the column type's check. */
  readonly verdict: 'missing' | 'fits' | 'refused' | 'unchecked';
  /** An `unchecked` value: a string as it is, anything else as JSON. */
  readonly text: string | null;
}

/** A column's values as they are stored, a batch of rows at a time, in the order of row ids. */
@Injectable()
export class StoredValueRepository {
  constructor(private readonly database: Database) {}

  /** Counts, in the batch, the rows without a value. */
  async countMissing({ datagridId, slot }: StoredColumn, batch: Batch): Promise<BatchCount> {
    const values = [datagridId, batch.afterId, batch.maxBytes, slot];
    const [counted] = await this.database.run<BatchCount>(COUNT_MISSING, values);
    return counted ?? { lastId: null, count: 0 };
  }

  /**
   * Reads rows of the batch: as many as give out up to 1 MiB of values, and one more value; none
   * where no rows follow.
   * @param shape What tells most values without giving them out; `null` where any value will do.
   */
  async read(
    { datagridId, slot }: StoredColumn,
    shape: ValueShape | null,
    { afterId, maxBytes }: Batch,
  ): Promise<StoredValue[]> {
    const { jsonType = null, maxBytes: longest = null } = shape ?? {};
    const values = [datagridId, afterId, maxBytes, slot, jsonType, longest];
    return this.database.run<StoredValue>(READ, values);
  }

  /** The values of the rows, long ones shortened. */
  async getExamples(
    { datagridId, slot }: StoredColumn,
    ids: readonly number[],
  ): Promise<RowsAgainst['examples']> {
    return this.database.run(EXAMPLES, [datagridId, ids, slot]);
  }

  async hasRowsAfter({ datagridId }: StoredColumn, id: number): Promise<boolean> {
    const [row] = await this.database.run<{ found: boolean }>(HAS_ROWS_AFTER, [datagridId, id]);
    return row?.found ?? false;
  }
}
