import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { BATCH_SQL } from './batch-sql';
import type { BatchCount } from './batch-sum';

/** As stored, which is compressed: some thousand usual rows, and few of the largest. */
const BATCH_BYTES = 1024 * 1024;

const COUNT_MISSING: Statement = {
  name: 'stored-value-count-missing',
  text: `
    SELECT max(id) AS "lastId", count(*) FILTER (WHERE NOT "values" ? $3) AS count
    FROM (${BATCH_SQL}) batch`,
};

/** Sizes are those of the stored form, so that only rows that are given out are unpacked. */
const READ: Statement = {
  name: 'stored-value-read',
  text: `
    SELECT id, "values" -> $3::text AS value
    FROM (
      SELECT id, "values", sum(pg_column_size("values")) OVER (ORDER BY id) AS bytes
      FROM (${BATCH_SQL}) batch
    ) r
    WHERE bytes - pg_column_size("values") < ${String(BATCH_BYTES)}
    ORDER BY id`,
};

export interface StoredValue {
  readonly id: number;
  /** `null` where the row has no value. */
  readonly value: unknown;
}

/** A column's values as they are stored, a batch of rows at a time, in the order of row ids. */
@Injectable()
export class StoredValueRepository {
  constructor(private readonly database: Database) {}

  /** Counts, in the rows that follow `afterId`, those without a value. */
  async countMissing({ datagridId, slot }: StoredColumn, afterId: number): Promise<BatchCount> {
    const values = [datagridId, afterId, slot];
    const [counted] = await this.database.run<BatchCount>(COUNT_MISSING, values);
    return counted ?? { lastId: null, count: 0 };
  }

  /** Reads the rows that follow `afterId`; none where there are none. */
  async read({ datagridId, slot }: StoredColumn, afterId: number): Promise<StoredValue[]> {
    return this.database.run<StoredValue>(READ, [datagridId, afterId, slot]);
  }
}
