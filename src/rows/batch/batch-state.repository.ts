import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { timeText } from '../storage/row-json-sql';
import { decompressed, isAny } from '../storage/each-column-sql';
import { uniqueColumns, uniqueColumnValues, uniqueHash, uniqueHashes } from '../storage/unique-sql';
import type { ClaimedValue } from './batch-state';
import type { BatchRow, SlotValues } from './batch-row';

/** The holder is looked up by key for each value, never by a join that may read all of them. */
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

/** Sizes are added up row by row: what is too much is neither kept nor sent. */
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

/** The value with the place of its row among those given. */
export interface FoundValue extends ClaimedValue {
  readonly index: number;
}

type RowRecord = Omit<BatchRow, 'values' | 'hashes'> & {
  readonly json: string | null;
  readonly hashes: readonly string[];
};

/** For use inside a transaction that holds the datagrid's lock. */
@Injectable()
export class BatchStateRepository {
  constructor(private readonly database: Database) {}

  /** The values of unique columns among those of some rows, and which rows have them now. */
  async findValues(schema: DatagridSchema, rows: readonly SlotValues[]): Promise<FoundValue[]> {
    if (schema.unique.length === 0) return [];
    const slots = schema.unique.map(({ slot }) => slot);
    // Of many and long values only those that matter.
    const given = rows.map((values) =>
      Object.fromEntries(
        slots.flatMap((slot) => (Object.hasOwn(values, slot) ? [[slot, values[slot]]] : [])),
      ),
    );
    const values = [schema.datagridId, JSON.stringify(given), ...uniqueColumnValues(schema)];
    return this.database.run<FoundValue>(CLAIMED, values);
  }

  /** Those of the rows that are there; `null` where they have more than `maxBytes` together. */
  async findRows(
    schema: DatagridSchema,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<BatchRow[] | null> {
    if (ids.length === 0) return [];
    const values = [schema.datagridId, ids, maxBytes, ...uniqueColumnValues(schema)];
    const found = await this.database.run<RowRecord>(ROWS, values);
    if (found.some(({ json }) => json === null)) return null;
    return mapInSlices(schema.datagridId, found, ({ json, hashes, ...row }) => {
      const read = JSON.parse(json ?? '{}') as SlotValues;
      return { ...row, values: read, hashes: new Map(hashes.map(readHash)) };
    });
  }
}

function readHash(text: string): [number, string] {
  const [columnId = '', hash = ''] = text.split(' ');
  return [Number(columnId), hash];
}
