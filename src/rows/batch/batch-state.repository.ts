import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { decompressed, isAny, timeText } from '../storage/row-json-sql';
import { uniqueColumns, uniqueColumnValues, uniqueHash, uniqueHashes } from '../storage/unique-sql';
import type { BatchRow, ClaimedValue, SlotValues } from './batch-state';

/** Looks up the holder of each value by key, because a join could read all unique values. */
const CLAIMED: Statement = {
  name: 'batch-unique-values',
  text: `
    WITH given AS MATERIALIZED (
      SELECT item.ordinal, u.column_id, ${uniqueHash('item.value')} AS hash
      FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS item(value, ordinal)
      CROSS JOIN ${uniqueColumns(3)}
      WHERE item.value ? u.slot
    )
    SELECT g.ordinal - 1 AS index, g.column_id AS "columnId", encode(g.hash, 'hex') AS hash,
      (SELECT v.row_id FROM unique_values v
        WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash) AS "rowId"
    FROM given g`,
};

/** Adds up sizes row by row. The text of rows beyond $3 bytes is neither kept nor sent. */
const ROWS: Statement = {
  name: 'batch-rows',
  text: `
    SELECT p.id, CASE WHEN p.bytes <= $3::bigint THEN p.json END AS json, p.revision,
      ${timeText('p.created_at')} AS "createdAt", ${timeText('p.updated_at')} AS "updatedAt",
      ARRAY(
        SELECT e.column_id || ' ' || encode(e.hash, 'hex')
        FROM ${uniqueHashes(
          `SELECT ${decompressed('p."values"')} AS "values" WHERE ${isAny(4)}`,
          4,
        )}
      ) AS hashes
    FROM (
      SELECT *, sum(octet_length(json)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT *, "values"::text AS json FROM rows
        WHERE datagrid_id = $1 AND id = ANY($2::bigint[]) OFFSET 0
      ) printed
    ) p`,
};

/** A value in a unique column, with the index of its row in the input. */
export interface FoundValue extends ClaimedValue {
  readonly index: number;
}

type RowRecord = Omit<BatchRow, 'values' | 'hashes'> & {
  readonly json: string | null;
  readonly hashes: readonly string[];
};

/** Reads stored rows for a batch. Use it in a transaction that holds the datagrid's lock. */
@Injectable()
export class BatchStateRepository {
  constructor(private readonly database: Database) {}

  /** Returns hashes of the rows' values in unique columns, each with the row that holds it now. */
  async listValues(schema: DatagridSchema, rows: readonly SlotValues[]): Promise<FoundValue[]> {
    if (schema.unique.length === 0) return [];
    const slots = schema.unique.map(({ slot }) => slot);
    // Send only the values of unique columns, because rows can have many long values.
    const given = rows.map((values) =>
      Object.fromEntries(
        slots.flatMap((slot) => (Object.hasOwn(values, slot) ? [[slot, values[slot]]] : [])),
      ),
    );
    const values = [schema.datagridId, JSON.stringify(given), ...uniqueColumnValues(schema)];
    return this.database.run<FoundValue>(CLAIMED, values);
  }

  /** Returns the rows that exist. @returns `null` if together they exceed `maxBytes`. */
  async findRows(
    accountId: string,
    schema: DatagridSchema,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<BatchRow[] | null> {
    if (ids.length === 0) return [];
    const values = [schema.datagridId, ids, maxBytes, ...uniqueColumnValues(schema)];
    const found = await this.database.run<RowRecord>(ROWS, values);
    if (found.some(({ json }) => json === null)) return null;
    return mapInSlices(accountId, found, ({ json, hashes, ...row }) => {
      const read = JSON.parse(json ?? '{}') as SlotValues;
      return { ...row, values: read, hashes: new Map(hashes.map(readHash)) };
    });
  }
}

function readHash(text: string): [number, string] {
  const [columnId = '', hash = ''] = text.split(' ');
  return [Number(columnId), hash];
}
