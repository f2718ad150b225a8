import { Injectable } from '@nestjs/common';
import type { ValueShape } from '../../datagrids/column-type/column-type';
import type { ConflictingRows, StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { BATCH_SQL, type Batch, type BatchCount } from './unique-claim.repository';
import { exampleValue } from './repeated-value.repository';

/**
 * Maximum size, decompressed, of the values that one statement returns. The last value can exceed
 * it. As text they can take six times as much if most of their characters must be escaped.
 */
export const MAX_VALUE_BYTES = 1024 * 1024;

/** Bytes that the header of `jsonb` adds to a value. */
const JSONB_HEAD_BYTES = 16;

const COUNT_MISSING: Statement = {
  name: 'stored-value-count-missing',
  text: `
    SELECT max(id) AS "lastId", count(*) FILTER (WHERE NOT "values" ? $4) AS count
    FROM (${BATCH_SQL}) batch`,
};

/**
 * Each OFFSET keeps PostgreSQL from repeating an expression wherever its result is used, so that a
 * row is decompressed once. The type and size of a decompressed value are checked before it is
 * printed.
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
            WHEN jsonb_typeof(value) <> $5 THEN 'rejected'
            WHEN $6::int IS NULL THEN 'fits'
            WHEN pg_column_size(value) > $6 + ${String(JSONB_HEAD_BYTES)} THEN 'rejected'
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
  /** Result that is known without the check of the column type. */
  readonly verdict: 'missing' | 'fits' | 'rejected' | 'unchecked';
  /** Text of an `unchecked` value (a string as is, any other value as JSON); otherwise `null`. */
  readonly text: string | null;
}

/** Reads a column's stored values, one batch of rows at a time, in row id order. */
@Injectable()
export class StoredValueRepository {
  constructor(private readonly database: Database) {}

  /** Counts the rows of the batch that have no value. */
  async countMissing({ datagridId, slot }: StoredColumn, batch: Batch): Promise<BatchCount> {
    const values = [datagridId, batch.afterId, batch.maxBytes, slot];
    const [counted] = await this.database.run<BatchCount>(COUNT_MISSING, values);
    return counted ?? { lastId: null, count: 0 };
  }

  /**
   * Reads rows of the batch until the returned values reach 1 MiB; the last value can exceed it.
   * Returns an empty array if no rows follow.
   * @param shape Shape that decides most values without returning them; `null` if any value is
   *   valid.
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

  /** Returns the values of the rows. Long values are shortened. */
  async getExamples(
    { datagridId, slot }: StoredColumn,
    ids: readonly number[],
  ): Promise<ConflictingRows['examples']> {
    return this.database.run(EXAMPLES, [datagridId, ids, slot]);
  }

  async hasRowsAfter({ datagridId }: StoredColumn, id: number): Promise<boolean> {
    const [row] = await this.database.run<{ found: boolean }>(HAS_ROWS_AFTER, [datagridId, id]);
    return row?.found ?? false;
  }
}
