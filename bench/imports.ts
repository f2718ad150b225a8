import { once } from 'node:events';
import { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { exampleValues } from './data';
import { importRows } from './import-rows';
import { median } from './median';
import type { Bench } from './prepare';
import { chunksOf, csvFile, inMemory, ndjsonFile } from './row-file';
import type { Table } from './table';

/**
 * Measures imports of a CSV and an NDJSON file, compared with a bare `COPY` of the same rows into the
 * same table through `pg`, including the update of the counter. All run in turns. The results are
 * medians in rows per second.
 */
export async function measureImports(
  bench: Bench,
  rounds: number,
  rows: number,
  table: Table,
): Promise<void> {
  const files = [inMemory(csvFile(rows)), inMemory(ndjsonFile(rows))];
  const bare: number[] = [];
  const imported: number[][] = files.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const { emptyDatagridId: id } = bench;
    const before = await lastRowId(bench);
    const copied = [...chunksOf(rows, (n) => rowLine(id, before, n))];
    bare.push(rows / (await seconds(() => copyBare(bench, rows, copied))));
    for (const [index, file] of files.entries()) {
      const { service, key } = bench;
      const work = (): Promise<void> => importRows({ service, key, datagridId: id }, file);
      imported[index]?.push(rows / (await seconds(work)));
    }
  }
  const count = rows.toLocaleString('en');
  table.addRate(`bare COPY of ${count} rows`, median(bare));
  files.forEach(({ type }, index) => {
    const rate = median(imported[index] ?? []);
    const ratio = `${(rate / median(bare)).toFixed(2)} of bare COPY`;
    table.addRate(`import of ${count} rows, ${type}`, rate, ratio);
  });
}

async function lastRowId({ sql, emptyDatagridId }: Bench): Promise<number> {
  const counter = 'SELECT last_row_id AS id FROM datagrid_counters WHERE datagrid_id = $1';
  const found = await sql.query<{ id: string }>(counter, [emptyDatagridId]);
  return Number(found.rows[0]?.id);
}

/** Copies rows into the empty datagrid. @param chunks The rows in the text format of COPY. */
async function copyBare(
  { databaseUrl, emptyDatagridId }: Bench,
  rows: number,
  chunks: readonly Buffer[],
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `UPDATE datagrid_counters SET last_row_id = last_row_id + $2, row_count = row_count + $2,
         revision = revision + 1
       WHERE datagrid_id = $1`,
      [emptyDatagridId, rows],
    );
    const copy = client.query(from('COPY rows FROM STDIN'));
    for (const chunk of chunks) if (!copy.write(chunk)) await once(copy, 'drain');
    copy.end();
    await once(copy, 'finish');
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

const AT = '2026-11-21T09:30:00.000Z';

function rowLine(id: string, before: number, n: number): string {
  return `${id}\t${String(before + n)}\t${JSON.stringify(exampleValues(n))}\t1\t${AT}\t${AT}\n`;
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
