import { inTurns, share, type Contender, type Plan } from '../measure';
import type { ServerProcess } from '../server-process';
import { Table } from '../table';
import type { ServedDatabase } from './many-pages';
import { relationSizes, totalBytes, walBytes, walPosition } from './storage';
import { manyValues } from './shape';
import type { ManyDatabase } from './many-database';

const CLIENTS = 32;
/** What the creation of single rows in random datagrids costs. */
export interface ManyWrites {
  readonly table: Table;
  /** Bytes of the write-ahead log for each created row. */
  readonly walBytes: number;
  /** The same, where a checkpoint was shortly before. Each changed page is then logged as a whole. */
  readonly walBytesAfterCheckpoint: number;
  /** Growth of all tables and indexes for each created row. */
  readonly storedBytes: number;
}

/** Measures creates of one row for each request, in random datagrids with two indexed columns. */
export async function measureManyWrites(
  many: ServedDatabase,
  few: ServedDatabase,
  plan: Plan,
): Promise<ManyWrites> {
  const own = { ...plan, connections: CLIENTS };
  const service = post(many.database, many.service);
  const contenders = [service, barePost(many), post(few.database, few.service), barePost(few)];
  const [created, bare, fewCreated, fewBare] = await inTurns(own, contenders);
  if (!created || !bare || !fewCreated || !fewBare) throw new Error('A contender is missing.');
  const table = new Table();
  const clients = `${String(CLIENTS)} clients`;
  table.add(`create 1 row in a random datagrid, ${clients}`, created, share(created, bare));
  table.add('  bare', bare);
  const ratio = (created.requestsPerSecond / fewCreated.requestsPerSecond).toFixed(2);
  table.add(
    `create 1 row, ${String(few.database.datagrids)} datagrids, ${clients}`,
    fewCreated,
    `${share(fewCreated, fewBare)}; many ÷ few ${ratio}`,
  );
  table.add('  bare', fewBare);
  const { sql } = many.database;
  await sql.query('CHECKPOINT');
  const atStart = totalBytes(await relationSizes(sql));
  const first = await createdLog(many.database, own, service);
  const second = await createdLog(many.database, own, service);
  const grown = totalBytes(await relationSizes(sql)) - atStart;
  return {
    table,
    walBytesAfterCheckpoint: first.bytes / first.rows,
    walBytes: second.bytes / second.rows,
    storedBytes: grown / (first.rows + second.rows),
  };
}

/** Creates rows for all rounds, and returns their number and the bytes of their log. */
async function createdLog(
  { sql }: ManyDatabase,
  plan: Plan,
  service: Contender,
): Promise<{ readonly bytes: number; readonly rows: number }> {
  const count = async (): Promise<number> => {
    const counters = 'SELECT sum(row_count)::float8 AS count FROM datagrid_counters';
    return (await sql.query<{ count: number }>(counters)).rows[0]?.count ?? Number.NaN;
  };
  const [rows, lsn] = [await count(), await walPosition(sql)];
  await inTurns({ ...plan, rounds: 1, seconds: plan.seconds * plan.rounds }, [service]);
  return { bytes: walBytes(lsn, await walPosition(sql)), rows: (await count()) - rows };
}

function post({ datagridIds, key, rows }: ManyDatabase, { port, pid }: ServerProcess): Contender {
  const paths = datagridIds.map((id) => `/api/v1/public/datagrids/${id}/rows`);
  const body = JSON.stringify({ values: manyValues(0, rows, rows) });
  const request = { method: 'POST', path: paths[0] ?? '', paths, key, body };
  return { port, pid, request, expectedStatus: 201 };
}

function barePost({ database, bare: { port } }: ServedDatabase): Contender {
  const paths = database.datagridIds.map(
    (id) => `/${id}/indexed/${String(database.schemaVersion)}`,
  );
  return { port, request: { method: 'POST', path: paths[0] ?? '', paths }, expectedStatus: 200 };
}
