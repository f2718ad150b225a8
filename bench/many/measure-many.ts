import { loadavg } from 'node:os';
import { importRows } from '../import-rows';
import type { Plan } from '../measure';
import type { Bench } from '../prepare';
import {
  copyOutAndIn,
  type Duration,
  durationsTable,
  vacuumFilled,
  vacuumUpdated,
} from './maintenance';
import { createDatabase, type Extent, fillDatagrids, type ManyDatabase } from './many-database';
import { manyPagesTable, measureManyPages, type ServedDatabase } from './many-pages';
import { measureManyWrites } from './many-writes';
import { batchesOf, rawRowBytes, VARIANTS } from './shape';
import { relationSizes, type StorageState, storageTable, walBytes, walPosition } from './storage';

/** Datagrids of the database that the large one is compared with. */
const FEW_DATAGRIDS = 20;
/** Rows of the databases that are filled in other ways. Sizes for each row do not depend on them. */
const MAX_BY_ARRIVAL = 200_000;
const LAST_STATE = '1 in turns';
/** Rows of a batch, by the state of the storage. */
const BATCHES_IN_TURNS = { '50 in turns': 50, [LAST_STATE]: 1 };
const MAX_BATCH = 1_000;

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface ManyOptions extends Extent {
  /** Folder for the copies of tables. */
  readonly folder: string;
  /** Parts of the names of the steps to run, separated by commas. All of them by default. */
  readonly only: string | undefined;
}

/**
 * Measures a database of many datagrids: its storage, pages and creates in random datagrids, and
 * maintenance.
 * Prints a table after each step, because a later one may fail.
 * @returns all figures.
 */
export async function measureMany(
  bench: Bench,
  plan: Plan,
  step: Step,
  { folder, only, ...extent }: ManyOptions,
): Promise<unknown> {
  const wanted = only?.split(',');
  const isWanted = (name: string): boolean => wanted?.some((part) => name.includes(part)) ?? true;
  const rows = extent.datagrids * extent.rows;
  const figures: Record<string, unknown> = { ...extent };
  const note = (name: string, figure: unknown, table: string): void => {
    const load = loadavg().map((each) => each.toFixed(2));
    const text = `${table}\n(${name}; load average ${load.join(', ')})`;
    figures[name] = { figure, loadAverage: load };
    process.stdout.write(`\n${text}\n\n`);
  };

  const storage = isWanted('arrival')
    ? await step('rows by arrival', () => storageByArrival(bench, extent))
    : [];
  const database = await createDatabase(bench, 'many', extent);
  const lsn = await walPosition(database.sql);
  await step('rows together', () => fillDatagrids(database, MAX_BATCH, 'together'));
  const filledWal = walBytes(lsn, await walPosition(database.sql)) / rows;
  const durations: Duration[] = [];
  durations.push(...(await step('vacuum', () => vacuumFilled(database))));
  const state = await stateOf(database, 'datagrid after datagrid');
  if (isWanted('storage')) {
    const raw = rawRowBytes(extent.rows);
    const line = `JSON of the values: ${raw.toFixed(1)} bytes. Log: ${filledWal.toFixed(0)} bytes for each row, in batches.`;
    note(
      'storage',
      { raw, filledWal, states: [state, ...storage] },
      `${storageTable([state, ...storage], raw)}\n${line}`,
    );
  }
  if (isWanted('pages') || isWanted('creates')) {
    const few = await createDatabase(bench, 'few', { ...extent, datagrids: FEW_DATAGRIDS });
    await fillDatagrids(few, MAX_BATCH, 'together');
    await vacuumFilled(few);
    const served = [await serve(bench, database), await serve(bench, few)] as const;
    try {
      if (isWanted('pages')) {
        const pages = await step('pages', () => measureManyPages(...served, plan));
        note('pages', pages, manyPagesTable(pages));
      }
      if (isWanted('creates')) {
        const { table, ...writes } = await step('creates', () =>
          measureManyWrites(...served, plan),
        );
        const line = `Log for each created row: ${writes.walBytes.toFixed(0)} bytes, ${writes.walBytesAfterCheckpoint.toFixed(0)} after a checkpoint. Storage: ${writes.storedBytes.toFixed(0)} bytes, with its entry in the change log.`;
        note('creates', { table, ...writes }, `${String(table)}\n${line}`);
      }
    } finally {
      for (const { service, bare } of served) await Promise.all([service.stop(), bare.stop()]);
      await few.sql.end();
    }
  }
  if (isWanted('maintenance')) {
    durations.push(...(await step('copies', () => copyOutAndIn(database, folder))));
    durations.push(...(await step('vacuum after updates', () => vacuumUpdated(database))));
    note('maintenance', durations, durationsTable(durations, rows));
  }
  await database.sql.end();
  return figures;
}

async function serve(bench: Bench, database: ManyDatabase): Promise<ServedDatabase> {
  const settings = { DATABASE_URL: database.url };
  return {
    database,
    service: await bench.startService(undefined, settings),
    bare: await bench.startBare(settings),
  };
}

/** Fills databases in other ways than datagrid after datagrid, and returns their storage. */
async function storageByArrival(
  bench: Bench,
  { datagrids, rows }: Extent,
): Promise<StorageState[]> {
  const states: StorageState[] = [];
  const extent = { rows, datagrids: Math.min(datagrids, Math.ceil(MAX_BY_ARRIVAL / rows)) };
  const measure = async (
    state: string,
    fill: (database: ManyDatabase) => Promise<void>,
  ): Promise<void> => {
    const database = await createDatabase(bench, 'arrival', extent);
    await fill(database);
    await vacuumFilled(database);
    states.push(await stateOf(database, state));
    if (state === LAST_STATE) {
      await database.sql.query('REINDEX DATABASE arrival');
      states.push(await stateOf(database, 'after REINDEX'));
    }
    await database.sql.end();
    await bench.sql.query('DROP DATABASE arrival');
  };
  await measure('imported', (database) => importDatagrids(bench, database));
  for (const [state, batchRows] of Object.entries(BATCHES_IN_TURNS)) {
    await measure(state, (database) => fillDatagrids(database, batchRows, 'in turns'));
  }
  return states;
}

/** Imports the rows of all datagrids by the API, one file for each. */
async function importDatagrids(bench: Bench, database: ManyDatabase): Promise<void> {
  const { key, rows, datagridIds } = database;
  const service = await bench.startService(undefined, { DATABASE_URL: database.url });
  try {
    for (const [n, datagridId] of datagridIds.entries()) {
      const lines = batchesOf(n % VARIANTS, rows, 1).map(({ json }) => json.slice(1, -1));
      const file = { type: 'application/x-ndjson', chunks: [Buffer.from(lines.join('\n'))] };
      await importRows({ service, key, datagridId }, file);
    }
  } finally {
    await service.stop();
  }
}

async function stateOf(
  { sql, datagrids, rows }: ManyDatabase,
  name: string,
): Promise<StorageState> {
  return { name, rows: datagrids * rows, sizes: await relationSizes(sql) };
}
