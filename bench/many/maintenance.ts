import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Pool, type PoolClient } from 'pg';
import { from, to } from 'pg-copy-streams';
import { migrate } from '../../src/platform/database/migrate';
import { onDatabase } from '../connections/warehouse';
import { cpuMicros } from '../cpu-time';
import { markdownTable } from '../table';
import { columnIdOf } from './shape';
import type { ManyDatabase } from './many-database';
import { walBytes, walPosition } from './storage';

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

/** What a work on all rows cost. */
export interface Duration {
  readonly work: string;
  readonly seconds: number;
  /** CPU time of the session. It depends less on other load of the machine; NaN if not on Linux. */
  readonly cpuSeconds: number;
  /** Bytes of the write-ahead log. */
  readonly logBytes: number;
  readonly note: string;
}

/** Measures a work of one session. @param run Returns a note about the work. */
async function timed(
  work: string,
  pool: Pool,
  run: (session: PoolClient) => Promise<string>,
): Promise<Duration> {
  const session = await pool.connect();
  try {
    const { rows } = await session.query<{ pid: number }>(SESSION);
    const pid = rows[0]?.pid ?? 0;
    const lsn = await walPosition(session);
    const [startedMs, cpuAtStart] = [performance.now(), cpuMicros(pid)];
    const note = await run(session);
    const seconds = (performance.now() - startedMs) / 1_000;
    const cpuSeconds = (cpuMicros(pid) - cpuAtStart) / 1_000_000;
    const logBytes = walBytes(lsn, await walPosition(session));
    return { work, seconds, cpuSeconds, logBytes, note };
  } finally {
    session.release(true);
  }
}

/** One process does the work, so that its CPU time is all of it. */
const SESSION = `
  SELECT pg_backend_pid() AS pid, set_config('max_parallel_maintenance_workers', '0', false),
    set_config('max_parallel_workers_per_gather', '0', false)`;

async function timedStatement(
  sql: Pool,
  work: string,
  statement: string,
  note: string,
): Promise<Duration> {
  return timed(work, sql, async (session) => {
    await session.query(statement);
    return note;
  });
}

/** Vacuums all tables after they were filled, and prepares the statistics of the planner. */
export async function vacuumFilled({ sql }: ManyDatabase): Promise<Duration[]> {
  const durations = [
    await timedStatement(sql, 'first VACUUM', 'VACUUM', 'after all rows were created'),
    await timedStatement(sql, 'ANALYZE', 'ANALYZE', 'reads a sample'),
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

/**
 * Vacuums after updates of random rows, for which it reads every index, and once more to freeze all
 * rows, as PostgreSQL must do before transaction ids are used again.
 */
export async function vacuumUpdated({ sql }: ManyDatabase): Promise<Duration[]> {
  const tables = 'rows, text_index_entries, number_index_entries';
  const updated = `${String(UPDATED_PERCENT)} % of the rows`;
  const update = await timed(`update of ${updated}`, sql, async (session) => {
    const { rowCount } = await session.query(UPDATE, [columnIdOf('price')]);
    return `${(rowCount ?? 0).toLocaleString('en')} rows in one statement`;
  });
  await sql.query('CHECKPOINT');
  const vacuum = await timedStatement(sql, 'VACUUM', `VACUUM ${tables}`, `after the update`);
  await sql.query('CHECKPOINT');
  const freeze = `VACUUM (FREEZE) ${tables}`;
  return [update, vacuum, await timedStatement(sql, 'VACUUM (FREEZE)', freeze, 'freezes all rows')];
}

/** Copies all data to files and into a new database, as `pg_dump` and `pg_restore` do. */
export async function copyOutAndIn(database: ManyDatabase, folder: string): Promise<Duration[]> {
  const { sql, name, url } = database;
  const copyName = `${name}_copy`;
  const file = (table: string): string => join(folder, `${copyName}.${table}`);
  const out = await timed('COPY to files', sql, async (session) => {
    let bytes = 0;
    for (const table of COPIED) {
      await copy(session, `COPY ${table} TO STDOUT`, 'out', file(table));
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
    const copied = await timed('COPY from files', target, async (session) => {
      for (const table of COPIED)
        await copy(session, `COPY ${table} FROM STDIN`, 'in', file(table));
      return 'tables without indexes';
    });
    const indexed = await timed('primary keys', target, async (session) => {
      for (const statement of created) await session.query(statement);
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
  session: PoolClient,
  statement: string,
  direction: 'out' | 'in',
  file: string,
): Promise<void> {
  if (direction === 'out') {
    await pipeline(session.query(to(statement)), createWriteStream(file));
  } else {
    await pipeline(createReadStream(file), session.query(from(statement)));
  }
}

/** Prints durations for all rows and for a million of them. */
export function durationsTable(durations: readonly Duration[], rows: number): string {
  return markdownTable(
    ['work', 'seconds', 'per million rows', 'CPU, per million rows', 'log, bytes per row', 'note'],
    durations.map(({ work, seconds, cpuSeconds, logBytes, note }) => [
      work,
      seconds.toFixed(1),
      ((seconds * 1e6) / rows).toFixed(2),
      ((cpuSeconds * 1e6) / rows).toFixed(2),
      (logBytes / rows).toFixed(0),
      note,
    ]),
  );
}
