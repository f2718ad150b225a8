import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { indexedColumnValues, moveRows } from '../index/index-sql';
import { ROW_JSON, VISIBLE_VALUES } from '../storage/row-json-sql';
import { uniqueColumns, uniqueColumnValues, uniqueHash } from '../storage/unique-sql';

/**
 * Takes the datagrid's lock. A statement of its own: what follows must see all that was
 * committed while this one waited.
 */
const LOCK: Statement = {
  name: 'row-lock-counter',
  text: `
    UPDATE datagrid_counters SET revision = revision + 1
    WHERE datagrid_id = $1 AND schema_version = $2
    RETURNING revision`,
};

const REVISION: Statement = {
  name: 'row-revision',
  text: 'SELECT revision FROM rows WHERE datagrid_id = $1 AND id = $2',
};

/** A unique value is released and claimed only where it really changes. */
const CHANGE: Statement = {
  name: 'row-change',
  text: `
    WITH old AS (
      SELECT "values" FROM rows WHERE datagrid_id = $1 AND id = $2
    ), changed AS (
      UPDATE rows r
      SET "values" = CASE WHEN $6 THEN $4::jsonb ELSE (r."values" || $4::jsonb) - $5::text[] END,
        revision = $3, updated_at = clock_timestamp()
      FROM old
      WHERE r.datagrid_id = $1 AND r.id = $2
      RETURNING r.*, old."values" AS old_values
    ), rehashed AS (
      SELECT u.column_id, ${uniqueHash('old_values')} AS old_hash,
        ${uniqueHash('"values"')} AS new_hash
      FROM changed CROSS JOIN ${uniqueColumns(7)}
    ), released AS (
      DELETE FROM unique_values v USING rehashed m
      WHERE v.datagrid_id = $1 AND v.column_id = m.column_id AND v.value_hash = m.old_hash
        AND m.old_hash IS DISTINCT FROM m.new_hash
    ), claimed AS (
      INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
      SELECT $1, column_id, new_hash, $2 FROM rehashed
      WHERE new_hash IS NOT NULL AND new_hash IS DISTINCT FROM old_hash
    ), ${moveRows('changed', 10)}
    SELECT ${ROW_JSON} AS json, octet_length((${VISIBLE_VALUES})::text) AS bytes
    FROM changed r JOIN datagrids d ON d.id = r.datagrid_id`,
};

export interface RowChange {
  /** Values by slot, as JSON text. */
  readonly json: string;
  /** Slots that lose their value; nothing where `replaces`. */
  readonly cleared: readonly string[];
  /** Whether `json` is all the row keeps. */
  readonly replaces: boolean;
}

export interface Changed {
  /** The row after the change, as the API gives it. */
  readonly json: string;
  /** Size of its values as stored, in PostgreSQL's own text. */
  readonly bytes: number;
}

/** For use inside a transaction that takes the lock first. */
@Injectable()
export class RowChangeRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes the datagrid's lock until the end of the transaction and raises its revision.
   * @returns the new revision; `null` where the columns are no longer those of `schema`.
   */
  async lock(schema: DatagridSchema): Promise<number | null> {
    const values = [schema.datagridId, schema.version];
    const [locked] = await this.database.run<{ revision: number }>(LOCK, values);
    return locked?.revision ?? null;
  }

  /** Of a row's last write; `null` where there is no such row. */
  async findRevision(datagridId: string, rowId: number): Promise<number | null> {
    const values = [datagridId, rowId];
    const [found] = await this.database.run<{ revision: number }>(REVISION, values);
    return found?.revision ?? null;
  }

  /** Changes one row; `null` where there is none. */
  async change(
    schema: DatagridSchema,
    rowId: number,
    revision: number,
    change: RowChange,
  ): Promise<Changed | null> {
    const [changed] = await this.database.run<Changed>(CHANGE, [
      schema.datagridId,
      rowId,
      revision,
      change.json,
      change.cleared,
      change.replaces,
      ...uniqueColumnValues(schema),
      ...indexedColumnValues(schema),
    ]);
    return changed ?? null;
  }
}
