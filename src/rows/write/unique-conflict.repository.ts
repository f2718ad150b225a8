import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { isDuplicate } from '../../platform/database/database-error';
import type { Statement } from '../../platform/database/text-query';
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
  /** Zero-based index of the row in the request. */
  readonly index: number;
  readonly columnId: number;
  /** The stored row that has the value; `null` if an earlier row in the request has it. */
  readonly rowId: number | null;
}

/** Returns whether `error` is a violation of a unique column. */
export function isUniqueViolation(error: unknown): boolean {
  return isDuplicate(error, 'unique_values_pkey');
}

@Injectable()
export class UniqueConflictRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists the values of a rejected request that are already used, by stored rows or by earlier rows
   * in the request. The index itself rejects the write. This query only explains it, and returns
   * nothing if the conflicting row has been deleted or changed in the meantime.
   * @param json JSON text of an array of values by slot.
   * @param exceptRowId A row whose own values are ignored.
   */
  async list(schema: DatagridSchema, json: string, exceptRowId = 0): Promise<UniqueConflict[]> {
    const values = [schema.datagridId, json, exceptRowId, ...uniqueColumnValues(schema)];
    return this.database.run<UniqueConflict>(FIND, values);
  }
}
