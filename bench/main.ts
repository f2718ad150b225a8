import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres';
import { measureCompressed } from './compressed';
import { measureExports } from './exports';
import { measureFinds } from './finds';
import { measureImports } from './imports';
import { measureInserts } from './inserts';
import { measurePages, measureUnchanged } from './pages';
import { prepare } from './prepare';
import { Table } from './table';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    imported: { type: 'string', default: '300000' },
    connections: { type: 'string', default: '16' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const rows = Number(options.rows);
  const plan = {
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    connections: Number(options.connections),
  };
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  print(`${String(rows)} rows of 10 columns (ask for more with: npm run bench -- --rows 10000000)`);
  print(
    `${String(availableParallelism())} cores, ${String(gigabytes)} GiB, Node ${process.version}`,
  );
  print(`${String(plan.connections)} connections, medians of ${String(plan.rounds)} rounds\n`);

  const dataDir = await mkdtemp(join(tmpdir(), 'datagrid-bench-'));
  const postgres = await openEmbeddedPostgres({ dataDir, settings: { max_wal_size: '4GB' } });
  try {
    const bench = await prepare(postgres.url, rows, join(dataDir, 'service.log'));
    const table = new Table();
    try {
      await measurePages(bench, plan, table, '');
      await measureUnchanged(bench, plan, table);
      await measureCompressed(bench, plan, table);
      await measureFinds(bench, plan, table);
      await measureExports(bench, plan.rounds, table);
      await measureImports(bench, plan.rounds, Number(options.imported), table);
      print('deleting a random tenth of the rows …');
      await bench.deleteTenth();
      await measurePages(bench, plan, table, ', a tenth deleted');
      await measureInserts(bench, plan, table);
    } finally {
      await bench.stop();
    }
    print(`\n${table.toString()}`);
  } finally {
    await postgres.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

void main();
