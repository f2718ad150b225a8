import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../src/embedded-postgres/embedded-postgres';
import { measureChanges } from './changes/measure-changes';
import { measureConnections } from './connections/measure-connections';
import { measureCompressed } from './compressed';
import { measureDelays } from './delays/measure-delays';
import { measureExports } from './exports';
import { measureImports } from './imports';
import { measureMany } from './many/measure-many';
import { measureInserts } from './inserts';
import { GENERATOR } from './load';
import { longRunTable, measureLongRuns } from './long-runs';
import { pageTable } from './page-table';
import { measurePages, measureUnchanged } from './pages';
import { plotPages } from './plot';
import { measureScans } from './scans/measure-scans';
import { prepare, type Bench } from './prepare';
import { targetsTable } from './targets';
import { Table } from './table';

/** Minimum number of rows: enough for several pages of 200 after a tenth is deleted. */
const SMALLEST_SIZE = 1_000;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string' },
    datagrids: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    imported: { type: 'string', default: '300000' },
    long: { type: 'string', default: '3000000' },
    connections: { type: 'string', default: '16' },
    part: { type: 'string', default: 'pages' },
    only: { type: 'string' },
    database: { type: 'string' },
    destinations: { type: 'string' },
    peers: { type: 'string' },
    plot: { type: 'string' },
    json: { type: 'string' },
  },
});

const PARTS: Readonly<Record<string, (bench: Bench, folder: string) => Promise<void>>> = {
  pages: measurePagesAndRows,
  changes: measureFeeds,
  connections: measureSyncs,
  many: measureManyDatagrids,
  delays: measureEventLoop,
  scans: measureQueries,
};
const measurePart = PARTS[options.part] ?? rejectPart();

function rejectPart(): never {
  throw new Error(`--part is one of: ${Object.keys(PARTS).join(', ')}`);
}

/** Rows of each datagrid of the part `many`, whose databases are apart from that of the other parts. */
const ROWS_OF_MANY = Number(options.rows ?? '500');
const SIZES =
  options.part === 'many' || options.part === 'delays'
    ? [SMALLEST_SIZE]
    : (options.rows ?? '10000,1000000').split(',').map(Number);
if (!SIZES.every((rows) => Number.isSafeInteger(rows) && rows >= SMALLEST_SIZE)) {
  throw new Error(
    `--rows takes sizes of ${String(SMALLEST_SIZE)} and more, such as 10000,1000000.`,
  );
}
/** The part `many` runs and measures VACUUM itself. */
const WITHOUT_AUTOVACUUM = { autovacuum: 'off' };
const PLAN = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  connections: Number(options.connections),
};
const GIGABYTES = Math.round(totalmem() / 2 ** 30);
const MACHINE = `${String(availableParallelism())} cores, ${String(GIGABYTES)} GiB, Node ${process.version}`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs a step, and prints its name and duration. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  print(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return result;
}

/** Measures connections, with the largest size. */
async function measureSyncs(bench: Bench): Promise<void> {
  const rows = Math.max(...SIZES);
  const { only, destinations } = options;
  print(`\n${await measureConnections(bench, rows, step, { only, destinations })}`);
}

/** Measures queries without an index, at each size. */
async function measureQueries(bench: Bench): Promise<void> {
  for (const rows of SIZES) print(`\n${await measureScans(bench, rows, step, options.peers)}`);
}

/** Measures the largest request of each kind. */
async function measureEventLoop(bench: Bench): Promise<void> {
  print(`\n${await measureDelays(bench, step, options.only)}`);
}

/** Measures the change log and what reads it. */
async function measureFeeds(bench: Bench): Promise<void> {
  const { figures, table } = await measureChanges(bench, PLAN, step, options.only);
  print(`\n${table}`);
  if (options.json === undefined) return;
  const report = { machine: MACHINE, plan: PLAN, figures };
  await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

/** Measures a database of many datagrids. */
async function measureManyDatagrids(bench: Bench, folder: string): Promise<void> {
  const extent = { datagrids: Number(options.datagrids), rows: ROWS_OF_MANY };
  const figures = await measureMany(bench, PLAN, step, {
    ...extent,
    folder,
    only: options.only,
  });
  if (options.json === undefined) return;
  const report = { machine: MACHINE, generator: GENERATOR, plan: PLAN, figures };
  await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

async function measurePagesAndRows(bench: Bench): Promise<void> {
  const table = new Table();
  const isPagesOnly = options.only === 'pages';
  const intact = await step('pages', () => measurePages(bench, PLAN, false));
  if (!isPagesOnly) await measureOthers(bench, table);
  await step('deleting a random tenth of the rows', () => bench.deleteTenth());
  const gapped = await step('pages after that', () => measurePages(bench, PLAN, true));
  if (!isPagesOnly) await step('creates', () => measureInserts(bench, PLAN, table));
  const runs = isPagesOnly
    ? []
    : await step('long runs', () => measureLongRuns(bench, Number(options.long)));
  const pages = [...intact, ...gapped];
  const others = isPagesOnly ? [] : [table, longRunTable(runs)];
  for (const part of [targetsTable(pages, runs), pageTable(pages), ...others]) {
    print(`\n${String(part)}`);
  }
  if (options.plot !== undefined) {
    await writeFile(options.plot, await plotPages(pages, `What a page costs: ${MACHINE}`));
  }
  if (options.json !== undefined) {
    const report = {
      machine: MACHINE,
      generator: GENERATOR,
      plan: PLAN,
      pages,
      measures: table,
      runs,
    };
    await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
}

async function measureOthers(bench: Bench, table: Table): Promise<void> {
  await step('304', () => measureUnchanged(bench, PLAN, table));
  await step('compressed pages', () => measureCompressed(bench, PLAN, table));
  await step('exports', () => measureExports(bench, PLAN.rounds, table));
  await step('imports', () => measureImports(bench, PLAN.rounds, Number(options.imported), table));
}

/** Opens an embedded PostgreSQL, or the empty database of `--database`. */
async function openDatabase(dataDir: string): Promise<Pick<EmbeddedPostgres, 'url' | 'release'>> {
  const { database } = options;
  if (database !== undefined) return { url: database, release: () => Promise.resolve() };
  const settings = { max_wal_size: '4GB', ...(options.part === 'many' && WITHOUT_AUTOVACUUM) };
  return openEmbeddedPostgres({ dataDir, settings });
}

async function main(): Promise<void> {
  print(`${MACHINE}, PostgreSQL on the same machine`);
  const sizes = SIZES.map((rows) => rows.toLocaleString('en')).join('; ');
  const many = `${options.datagrids} datagrids of ${String(ROWS_OF_MANY)} rows`;
  print(options.part === 'many' ? many : `datagrids of ${sizes} rows of 10 columns`);
  print(`load by ${GENERATOR}`);
  print(`${String(PLAN.connections)} connections, medians of ${String(PLAN.rounds)} rounds\n`);
  const dataDir = await mkdtemp(join(tmpdir(), 'datagrid-bench-'));
  const postgres = await openDatabase(dataDir);
  try {
    // Connections are measured in a database of their own.
    const filled = ['connections', 'scans'].includes(options.part) ? [SMALLEST_SIZE] : SIZES;
    const bench = await step('filling', () => prepare(postgres.url, filled, dataDir));
    try {
      await measurePart(bench, dataDir);
    } finally {
      await bench.stop();
    }
  } finally {
    await postgres.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

void main();
