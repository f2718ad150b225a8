import { text } from 'node:stream/consumers';
import { request, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { to } from 'pg-copy-streams';
import type { ServiceTarget } from './import-rows';
import { median } from './median';
import type { Bench } from './prepare';
import type { Table } from './table';

const EXPORTS: Readonly<Record<string, string>> = {
  NDJSON: 'format=ndjson',
  'NDJSON, whole rows': 'format=ndjson&shape=row',
  CSV: 'format=csv',
};

/**
 * Measures exports of all rows, compared with a bare `COPY` of the values of the same rows, in the
 * same order, through `pg`. Both run in turns. The results are medians in rows per second.
 */
export async function measureExports(bench: Bench, rounds: number, table: Table): Promise<void> {
  const bare: number[] = [];
  const exported = new Map<string, number[]>(Object.keys(EXPORTS).map((name) => [name, []]));
  let rows = 0;
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    rows = await copyBare(bench);
    bare.push((rows * 1000) / (performance.now() - started));
    for (const [name, query] of Object.entries(EXPORTS)) {
      const begun = performance.now();
      const from = { service: bench.service, key: bench.key, datagridId: bench.middle.id };
      await exportRows(from, query, rows);
      exported.get(name)?.push((rows * 1000) / (performance.now() - begun));
    }
  }
  const count = rows.toLocaleString('en');
  table.addRate(`bare COPY … TO STDOUT of ${count} rows`, median(bare));
  for (const [name, rates] of exported) {
    const ratio = `${(median(rates) / median(bare)).toFixed(2)} of bare COPY`;
    table.addRate(`export of ${count} rows, ${name}`, median(rates), ratio);
  }
}

async function copyBare({ sql, middle: { id } }: Bench): Promise<number> {
  const client = await sql.connect();
  try {
    const copy = client.query(
      to(
        `COPY (SELECT "values"::text FROM rows WHERE datagrid_id = '${id}' ORDER BY id) TO STDOUT`,
      ),
    );
    await readAll(copy);
    await client.query('SELECT');
    return copy.rowCount;
  } finally {
    client.release();
  }
}

/** Reads an export to its end. Fails if its trailer does not report `rows` rows. */
export async function exportRows(
  { service, key, datagridId }: ServiceTarget,
  query: string,
  rows: number,
): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      port: service.port,
      path: `/api/v1/public/datagrids/${datagridId}/rows/export?${query}`,
      headers: { authorization: `Bearer ${key}`, te: 'trailers' },
    });
    sent.on('response', resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) {
    throw new Error(`The export failed: ${String(response.statusCode)} ${await text(response)}`);
  }
  await readAll(response);
  const count = response.trailers['export-rows'];
  if (Number(count) !== rows) throw new Error(`The export has ${count ?? 'no'} rows.`);
}

function readAll(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', () => undefined);
    stream.on('end', resolve).on('error', reject);
  });
}
