import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { isDuplicate } from '../../platform/database/database-error';
import type { Statement } from '../../platform/database/statement';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';

const MAX_REPORTED = 100;

const FIND: Statement = {
  name: 'unique-conflict-find',
  text: `
    SELECT * FROM (
    SELECT g.ordinal - 1 AS index, g.column_id AS "columnId", g.n > 1 AS "isRepeated", (
      SELECT v.row_id FROM unique_values v
      WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash
        AND v.row_id <> $3
    ) AS "rowId"
    FROM (
      SELECT *, row_number() OVER (PARTITION BY column_id, hash ORDER BY ordinal) AS n
      FROM (
        SELECT item.ordinal, u.column_id, ${uniqueHash('item.value')} AS hash
        FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS item(value, ordinal)
        CROSS JOIN ${uniqueColumns(4)}
        WHERE item.value ? u.slot
      ) h
    ) g
    ) c
    WHERE c."isRepeated" OR c."rowId" IS NOT NULL
    ORDER BY c.index, c."columnId" LIMIT ${String(MAX_REPORTED)}`,
};

export interface UniqueConflict {
  /** Of the row, in the call. */
  readonly index: number;
  readonly columnId: number;
  /** The stored row that has the value; `null` if a row before it in the call has it. */
  readonly rowId: number | null;
}

/** Whether `error` is a value that a unique column holds already. */
export function isUniqueViolation(error: unknown): boolean {
  return isDuplicate(error, 'unique_values_pkey');
}

@Injectable()
export class UniqueConflictRepository {
  constructor(private readonly database: Database) {}

  /**
   * Which values of a refused call are taken, by stored rows or by rows before them in the call.
   * The refusal itself comes from the index; this only explains it, and finds nothing where the
   * other row has gone meanwhile.
   * @param json An array of values by slot.
   * @param exceptRowId A row whose own values do not count.
   */
  async find(schema: DatagridSchema, json: string, exceptRowId = 0): Promise<UniqueConflict[]> {
    const values = [schema.datagridId, json, exceptRowId, ...uniqueColumnValues(schema)];
    return this.database.run<UniqueConflict>(FIND, values);
  }
}
