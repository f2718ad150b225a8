import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { COLUMNS, exampleValues } from './data';
import { watchMemory } from './memory';
import type { Bench } from './prepare';
import type { Table } from './table';

const CHUNK_BYTES = 256 * 1024;
const MEGABYTE = 2 ** 20;

/** A file of rows, as its sender reads it. */
interface RowFile {
  readonly type: string;
  readonly chunks: readonly Buffer[];
}

/**
 * Importing a file of CSV and of NDJSON, held against bare `COPY` through `pg` of the same rows into
 * the same table, with the counter raised; in turns, in the same run. Medians of rows/s.
 */
export async function measureImports(
  bench: Bench,
  rounds: number,
  rows: number,
  table: Table,
): Promise<void> {
  const files = [csv(rows), ndjson(rows)];
  const bare: number[] = [];
  const imported: number[][] = files.map(() => []);
  let mostBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { emptyDatagridId: id } = bench;
    const before = await lastRowId(bench);
    const copied = [...chunksOf(rows, (n) => rowLine(id, before, n))];
    bare.push(rows / (await seconds(() => copyBare(bench, rows, copied))));
    for (const [index, file] of files.entries()) {
      const watch = watchMemory(bench.service.pid);
      imported[index]?.push(rows / (await seconds(() => send(bench, file))));
      mostBytes = Math.max(mostBytes, await watch.end());
    }
  }
  const count = rows.toLocaleString('en');
  table.addRate(`bare COPY of ${count} rows`, middle(bare));
  files.forEach(({ type }, index) => {
    const rate = middle(imported[index] ?? []);
    const ratio = `${(rate / middle(bare)).toFixed(2)} of bare COPY`;
    table.addRate(`import of ${count} rows, ${type}`, rate, ratio);
  });
  const megabytes = (mostBytes / MEGABYTE).toFixed(0);
  table.addRate('memory of the service meanwhile, MiB', Number(megabytes));
}

async function send({ service, key, emptyDatagridId }: Bench, file: RowFile): Promise<void> {
  const sent = request({
    port: service.port,
    method: 'POST',
    path: `/api/v1/public/datagrids/${emptyDatagridId}/rows/import`,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': file.type,
      'content-length': file.chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of file.chunks) if (!sent.write(chunk)) await once(sent, 'drain');
  sent.end();
  const [answer] = await answered;
  let text = '';
  for await (const part of answer) text += String(part);
  if (answer.statusCode === 201) return;
  if (answer.statusCode !== 202) throw new Error(`The import was answered by ${text}`);
  await completed(service.port, key, answer.headers.location ?? '');
}

async function completed(port: number, key: string, location: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${location}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await answer.json()) as { data: { state: string } };
    if (data.state === 'completed') return;
    if (data.state !== 'running') throw new Error(`The import has ${data.state}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function lastRowId({ sql, emptyDatagridId }: Bench): Promise<number> {
  const counter = 'SELECT last_row_id AS id FROM datagrid_counters WHERE datagrid_id = $1';
  const found = await sql.query<{ id: string }>(counter, [emptyDatagridId]);
  return Number(found.rows[0]?.id);
}

/** @param chunks The rows as COPY takes them. */
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

function csv(rows: number): RowFile {
  const keys = COLUMNS.map(({ key }) => key);
  const line = (n: number): string => {
    const values = exampleValues(n);
    return `${keys.map((key) => cell(String(values[key]))).join(',')}\n`;
  };
  const header = Buffer.from(`${keys.join(',')}\n`);
  return { type: 'text/csv', chunks: [header, ...chunksOf(rows, line)] };
}

const cell = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

function ndjson(rows: number): RowFile {
  const line = (n: number): string => `${JSON.stringify(exampleValues(n))}\n`;
  return { type: 'application/x-ndjson', chunks: [...chunksOf(rows, line)] };
}

function* chunksOf(rows: number, line: (n: number) => string): Generator<Buffer> {
  let text = '';
  for (let n = 1; n <= rows; n += 1) {
    text += line(n);
    if (text.length >= CHUNK_BYTES || n === rows) {
      yield Buffer.from(text);
      text = '';
    }
  }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
