import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'pg';
import { from, to } from 'pg-copy-streams';
import { migrate } from '../../src/platform/database/migrate';
import { onDatabase } from '../connections/warehouse';
import { markdownTable } from '../table';
import { columnIdOf } from './shape';
import type { ManyDatabase } from './many-database';

/** Tables that have nearly all of the data. */
const COPIED = [
  'rows',
  'text_index_entries',
  'number_index_entries',
  'datagrid_changes',
  'datagrid_counters',
  'datagrid_columns',
];
/** Share of the rows that are updated before a VACUUM, in percent. */
const UPDATED_PERCENT = 2;

/** Duration of a work on all rows. */
export interface Duration {
  readonly work: string;
  readonly seconds: number;
  readonly note: string;
}

async function timed(work: string, run: () => Promise<string>): Promise<Duration> {
  const startedMs = performance.now();
  const note = await run();
  return { work, seconds: (performance.now() - startedMs) / 1_000, note };
}

/** Vacuums all tables after they were filled, and prepares the statistics of the planner. */
export async function vacuumFilled({ sql }: ManyDatabase): Promise<Duration[]> {
  const durations = [
    await timed('first VACUUM', async () => {
      await sql.query('VACUUM');
      return 'after all rows were created';
    }),
    await timed('ANALYZE', async () => {
      await sql.query('ANALYZE');
      return 'reads a sample';
    }),
  ];
  await sql.query('CHECKPOINT');
  return durations;
}

/**
 * Updates the indexed number of random rows as the service does, except for the change log.
 * `$1` is the id of the column.
 */
const UPDATE = `
  WITH picked AS MATERIALIZED (
    SELECT datagrid_id, id, "values", ("values" ->> 'price')::numeric AS price
    FROM rows TABLESAMPLE BERNOULLI (${String(UPDATED_PERCENT)})
  ), updated AS (
    UPDATE rows r SET "values" = jsonb_set(p."values", '{price}', to_jsonb(p.price + 0.5))
    FROM picked p WHERE r.datagrid_id = p.datagrid_id AND r.id = p.id
  ), removed AS (
    DELETE FROM number_index_entries e USING picked p
    WHERE e.datagrid_id = p.datagrid_id AND e.column_id = $1 AND NOT e.is_empty
      AND e.value = p.price AND e.row_id = p.id
  )
  INSERT INTO number_index_entries (datagrid_id, column_id, is_empty, value, row_id)
  SELECT datagrid_id, $1, false, price + 0.5, id FROM picked`;

/** Vacuums after updates of random rows, which every index must then be read for. */
export async function vacuumUpdated({ sql }: ManyDatabase): Promise<Duration[]> {
  const update = await timed(`update of ${String(UPDATED_PERCENT)} % of the rows`, async () => {
    const { rowCount } = await sql.query(UPDATE, [columnIdOf('price')]);
    return `${(rowCount ?? 0).toLocaleString('en')} rows in one statement`;
  });
  await sql.query('CHECKPOINT');
  const vacuum = await timed('VACUUM after that', async () => {
    await sql.query('VACUUM rows, text_index_entries, number_index_entries');
    return 'reads every index';
  });
  return [update, vacuum];
}

/** Copies all data to files and into a new database, as `pg_dump` and `pg_restore` do. */
export async function copyOutAndIn(database: ManyDatabase, folder: string): Promise<Duration[]> {
  const { sql, name, url } = database;
  const copyName = `${name}_copy`;
  const file = (table: string): string => join(folder, `${copyName}.${table}`);
  const out = await timed('COPY to files', async () => {
    let bytes = 0;
    for (const table of COPIED) {
      await copy(sql, `COPY ${table} TO STDOUT`, 'out', file(table));
      bytes += (await stat(file(table))).size;
    }
    const each = bytes / (database.datagrids * database.rows);
    return `${each.toFixed(0)} bytes for each row, not compressed`;
  });
  await sql.query(`CREATE DATABASE ${copyName}`);
  const copyUrl = onDatabase(url, copyName);
  await migrate({ url: copyUrl, poolSize: 1, lockTimeoutMs: 0 });
  const target = new Pool({ connectionString: copyUrl, max: 1 });
  try {
    const created = await dropKeys(target);
    const copied = await timed('COPY from files', async () => {
      for (const table of COPIED) await copy(target, `COPY ${table} FROM STDIN`, 'in', file(table));
      return 'tables without indexes';
    });
    const indexed = await timed('primary keys', async () => {
      for (const statement of created) await target.query(statement);
      return 'one after another';
    });
    return [out, copied, indexed];
  } finally {
    await target.end();
    await sql.query(`DROP DATABASE ${copyName}`);
  }
}

/** Drops the primary keys and indexes of the copied tables. @returns statements that create them. */
async function dropKeys(target: Pool): Promise<string[]> {
  const { rows } = await target.query<{ drop: string; create: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
         pg_get_constraintdef(oid)) AS create
     FROM pg_constraint WHERE contype = 'p' AND conrelid::regclass::text = ANY($1)
     UNION ALL
     SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
     FROM pg_index WHERE NOT indisprimary AND indrelid::regclass::text = ANY($1)`,
    [COPIED],
  );
  for (const { drop } of rows) await target.query(drop);
  return rows.map(({ create }) => create);
}

async function copy(
  pool: Pool,
  statement: string,
  direction: 'out' | 'in',
  file: string,
): Promise<void> {
  const client = await pool.connect();
  try {
    if (direction === 'out') {
      await pipeline(client.query(to(statement)), createWriteStream(file));
    } else {
      await pipeline(createReadStream(file), client.query(from(statement)));
    }
  } finally {
    client.release();
  }
}

/** Prints durations for all rows and for a million of them. */
export function durationsTable(durations: readonly Duration[], rows: number): string {
  return markdownTable(
    ['work', 'seconds', 'seconds per million rows', 'note'],
    durations.map(({ work, seconds, note }) => [
      work,
      seconds.toFixed(1),
      ((seconds * 1e6) / rows).toFixed(2),
      note,
    ]),
  );
}
