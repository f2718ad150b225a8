import { Injectable } from '@nestjs/common';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { BATCH_SQL, type Batch } from './unique-claim.repository';

const FIRST_ROW: Statement = {
  name: 'read-only-first-row',
  text: 'SELECT min(id) AS id FROM rows WHERE datagrid_id = $1',
};

/** Returns a statement that sets the values of the rows of a batch, and returns its last row. */
const changing = (name: string, values: string, condition: string): Statement => ({
  name,
  text: `
    WITH batch AS MATERIALIZED (${BATCH_SQL}), changed AS (
      UPDATE rows r SET "values" = ${values}
      FROM batch WHERE r.datagrid_id = $1 AND r.id = batch.id ${condition}
    )
    SELECT max(id) AS "lastId" FROM batch`,
});

/** `jsonb_build_object` is not immutable, and Citus allows no such function of a column in an UPDATE. */
const NUMBER = changing(
  'read-only-number',
  'jsonb_set(r."values", ARRAY[$4::text], (r.id + $5::bigint)::text::jsonb)',
  '',
);

const CLEAR = changing(
  'read-only-clear',
  'r."values" - $4::text',
  'AND r.updated_at >= $5::timestamptz',
);

/**
 * Sets the values of rows that exist in columns whose values the service sets. Use it in a transaction
 * that holds the datagrid's lock. Neither revisions nor times of the rows change.
 */
@Injectable()
export class ReadOnlyColumnRepository {
  constructor(private readonly database: Database) {}

  /** Returns the id of the first row; `null` if there is none. */
  async findFirstId(datagridId: string): Promise<number | null> {
    const [first] = await this.database.run<{ id: number | null }>(FIRST_ROW, [datagridId]);
    return first?.id ?? null;
  }

  /**
   * Gives the rows of a batch their numbers.
   * @returns the id of the last row; `null` if no rows follow.
   */
  async number(column: StoredColumn, offset: number, batch: Batch): Promise<number | null> {
    return this.change(NUMBER, column, batch, offset);
  }

  /** Clears the values of the rows of a batch that were written since. @returns as `number` */
  async clearWritten(column: StoredColumn, since: Date, batch: Batch): Promise<number | null> {
    return this.change(CLEAR, column, batch, since);
  }

  private async change(
    statement: Statement,
    { datagridId, slot }: StoredColumn,
    { afterId, maxBytes }: Batch,
    value: number | Date,
  ): Promise<number | null> {
    const values = [datagridId, afterId, maxBytes, slot, value];
    const [changed] = await this.database.run<{ lastId: number | null }>(statement, values);
    return changed?.lastId ?? null;
  }
}
