import { request, type IncomingMessage } from 'node:http';
import { ChangeRepository } from '../../src/changes/change.repository';
import { decodeChangeCursor } from '../../src/changes/change-cursor';
import { exportRows } from '../exports';
import { importRows } from '../import-rows';
import { median } from '../median';
import type { Bench } from '../prepare';
import { inMemory, ndjsonFile } from '../row-file';
import { Api } from './api';
import { type Figure, quantile, watchCpu } from './figures';

const ROWS = 200_000;
const UPDATES = 40_000;
const HEAD_READS = 2_000;

/**
 * Updates rows in random order, with a revision and an entry for each, as that many requests do. The
 * requests would take longer than all measures together.
 */
const UPDATE = `
  WITH raised AS (
    UPDATE datagrid_counters SET revision = revision + $2, last_written_at = date_trunc('ms', now())
    WHERE datagrid_id = $1 RETURNING revision - $2 AS base, last_written_at AS at
  ), picked AS (
    SELECT id, base + row_number() OVER () AS revision, at
    FROM (SELECT id FROM rows WHERE datagrid_id = $1 ORDER BY random() LIMIT $2) r, raised
  ), updated AS (
    UPDATE rows r SET revision = p.revision, updated_at = p.at
    FROM picked p WHERE r.datagrid_id = $1 AND r.id = p.id
  )
  INSERT INTO datagrid_changes (datagrid_id, revision, part, revisions, kind, row_count, row_ids, at)
  SELECT $1, revision, 0, 1, 'update', 1, ARRAY[id], at FROM picked`;

/** Measures how fast the feed of a datagrid is read. */
export async function measureFeed(bench: Bench, rounds: number): Promise<Figure[]> {
  const { service, key } = bench;
  const api = new Api(service.port, key);
  const datagridId = await bench.createDatagrid('Feed');
  const beginning = await api.latest(datagridId);
  await importRows({ service, key, datagridId }, inMemory(ndjsonFile(ROWS)));
  const ranges = await measureRanges(bench, datagridId, beginning, rounds);
  const imported = await api.latest(datagridId);
  const updates = await measureUpdates(bench, datagridId, imported, rounds);
  return [ranges, updates, await measureHead(bench, datagridId, await api.latest(datagridId))];
}

async function measureRanges(
  bench: Bench,
  datagridId: string,
  cursor: string,
  rounds: number,
): Promise<Figure> {
  const { service, key } = bench;
  const cpu = watchCpu();
  const [feed, exported]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const startedMs = performance.now();
    await exportRows({ service, key, datagridId }, 'format=ndjson&shape=row', ROWS);
    const exportedMs = performance.now();
    const items = await readLines(bench, datagridId, cursor);
    const endedMs = performance.now();
    if (items !== ROWS) throw new Error(`The feed has ${String(items)} items.`);
    if (round === 0) continue;
    exported.push((ROWS * 1_000) / (exportedMs - startedMs));
    feed.push((ROWS * 1_000) / (endedMs - exportedMs));
  }
  const share = median(feed) / median(exported);
  return {
    measure: `feed over ranges, ${ROWS.toLocaleString('en')} rows`,
    target: '≥ 0.6 of the NDJSON export of whole rows',
    measured: `${share.toFixed(2)} (${median(feed).toFixed(0)} and ${median(exported).toFixed(0)} rows/s)`,
    isMet: share >= 0.6,
    clientCpu: cpu(),
  };
}

async function measureUpdates(
  bench: Bench,
  datagridId: string,
  cursor: string,
  rounds: number,
): Promise<Figure> {
  // Without statistics, PostgreSQL would join the new rows by reading all of them for each.
  await bench.sql.query('ANALYZE rows');
  await bench.sql.query(UPDATE, [datagridId, UPDATES]);
  const cpu = watchCpu();
  const rates: number[] = [];
  let items = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const startedMs = performance.now();
    items = await readLines(bench, datagridId, cursor);
    if (round > 0) rates.push((items * 1_000) / (performance.now() - startedMs));
  }
  return {
    measure: `feed of ${items.toLocaleString('en')} random single updates`,
    target: '≥ 25,000 rows/s',
    measured: `${median(rates).toFixed(0)} rows/s`,
    isMet: median(rates) >= 25_000,
    clientCpu: cpu(),
  };
}

/** Runs the statement of an empty page, with its round trip, as the service does. */
async function measureHead(bench: Bench, datagridId: string, cursor: string): Promise<Figure> {
  const repository = bench.app.get(ChangeRepository, { strict: false });
  const position = decodeChangeCursor(datagridId, cursor);
  if (position.phase !== 'changes') throw new Error('The position is not in the log.');
  const cpu = watchCpu();
  const times: number[] = [];
  for (let n = 0; n < HEAD_READS; n += 1) {
    const startedMs = performance.now();
    await repository.listEntries(bench.accountId, datagridId, position, 100, false);
    times.push(performance.now() - startedMs);
  }
  const p50 = median(times);
  return {
    measure: 'statement at the head of the log, with its round trip',
    target: '≤ 1 ms',
    measured: `p50 ${p50.toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`,
    isMet: p50 <= 1,
    clientCpu: cpu(),
  };
}

/** Reads changes as lines to the end. @returns the number of items. */
async function readLines(
  { service, key }: Bench,
  datagridId: string,
  cursor: string,
): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({
      port: service.port,
      path: `/api/v1/public/datagrids/${datagridId}/changes?cursor=${cursor}`,
      headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' },
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
  let [lines, cursors] = [0, 0];
  let end = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    lines += countOf(chunk, '\n');
    cursors += countOf(chunk, '"op":"cursor"');
    end = (end + chunk.toString('latin1', Math.max(0, chunk.length - 200))).slice(-200);
  }
  if (!end.includes('"upToDate":true')) throw new Error('The feed broke off.');
  return lines - cursors;
}

function countOf(chunk: Buffer, text: string): number {
  let count = 0;
  for (let at = chunk.indexOf(text); at >= 0; at = chunk.indexOf(text, at + text.length))
    count += 1;
  return count;
}
