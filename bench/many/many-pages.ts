import type { Pool } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from '../load';
import { loadRequest } from '../load-request';
import { inTurns, type Contender, type Plan } from '../measure';
import type { LoadResult } from '../load';
import type { ServerProcess } from '../server-process';
import { markdownTable } from '../table';
import type { ManyDatabase } from './many-database';
import { columnIdOf, customer, customersOf } from './shape';

const LIMIT = 20;
const API = '/api/v1/public';
/** PostgreSQL reports the statistics of an idle session after at most 10 seconds. */
const STATISTICS_MS = 11_000;

/** A database with a service and a bare server of its own. */
export interface ServedDatabase {
  readonly database: ManyDatabase;
  readonly service: ServerProcess;
  readonly bare: ServerProcess;
}

/** Returns the paths of a kind of page of a datagrid: those of the service and of the bare server. */
type PageKind = (id: string, rows: number) => readonly [service: string, bare: string];

const byPosition =
  (pageOf: (last: number) => number): PageKind =>
  (id, rows) => {
    const page = pageOf(Math.floor(rows / LIMIT));
    const firstId = (page - 1) * LIMIT + 1;
    return [
      `${API}/datagrids/${id}/rows?page=${String(page)}&limit=${String(LIMIT)}`,
      `/${id}/${String(firstId)}/${String(LIMIT)}`,
    ];
  };

const equal: PageKind = (id, rows) => {
  const value = customer(Math.floor(Math.random() * customersOf(rows)));
  const query = new URLSearchParams({
    limit: String(LIMIT),
    filter: JSON.stringify({ customer: value }),
  });
  const bare = `/${id}/upwards/${String(LIMIT)}/${String(columnIdOf('customer'))}`;
  return [`${API}/datagrids/${id}/rows?${String(query)}`, `${bare}/${encodeURIComponent(value)}`];
};

const sorted: PageKind = (id) => [
  `${API}/datagrids/${id}/rows?limit=${String(LIMIT)}&sort=customer`,
  `/${id}/upwards/${String(LIMIT)}/${String(columnIdOf('customer'))}`,
];

export const PAGE_KINDS: Readonly<Record<string, PageKind>> = {
  first: byPosition(() => 1),
  middle: byPosition((last) => Math.ceil(last / 2)),
  last: byPosition((last) => last),
  'equal by index': equal,
  'sorted by index': sorted,
};

/** Measures of one kind of page. */
export interface ManyPage {
  readonly kind: string;
  /** Of the database with many datagrids. */
  readonly service: LoadResult;
  readonly bare: LoadResult;
  /** Of the database with few datagrids. */
  readonly few: LoadResult;
  readonly fewBare: LoadResult;
  /** Blocks of 8 KiB that were not in the memory of PostgreSQL, for each request to the service. */
  readonly blocksRead: number;
}

/**
 * Measures pages of 20 rows of random datagrids, in turns with the same pages of a database with few
 * datagrids and with the bare server on both.
 */
export async function measureManyPages(
  many: ServedDatabase,
  few: ServedDatabase,
  plan: Plan,
): Promise<ManyPage[]> {
  const pages: ManyPage[] = [];
  for (const [kind, pathsOf] of Object.entries(PAGE_KINDS)) {
    const contenders = [...contendersOf(many, pathsOf), ...contendersOf(few, pathsOf)];
    const [service, bare, fewService, fewBare] = await inTurns(plan, contenders);
    const [contender] = contenders;
    if (!service || !bare || !fewService || !fewBare || !contender) {
      throw new Error('A contender is missing.');
    }
    const blocksRead = await measureBlocks(many.database.sql, plan, contender);
    pages.push({ kind, service, bare, few: fewService, fewBare, blocksRead });
  }
  return pages;
}

function contendersOf(
  { database, service, bare }: ServedDatabase,
  pathsOf: PageKind,
): [Contender, Contender] {
  const both = database.datagridIds.map((id) => pathsOf(id, database.rows));
  return [
    randomGet(
      service,
      both.map(([path]) => path),
      database.key,
    ),
    randomGet(
      bare,
      both.map(([, path]) => path),
    ),
  ];
}

function randomGet({ port, pid }: ServerProcess, paths: string[], key?: string): Contender {
  const request = { method: 'GET', path: paths[0] ?? '', paths, key };
  return { port, pid, request, expectedStatus: 200 };
}

/** Loads the contender once more, and counts the blocks that PostgreSQL reads for each request. */
async function measureBlocks(
  sql: Pool,
  { seconds, connections }: Plan,
  { port, request, expectedStatus }: Contender,
): Promise<number> {
  await delay(STATISTICS_MS);
  const before = await blocksRead(sql);
  const options = { port, request: loadRequest(request), connections, seconds, expectedStatus };
  const { requestsPerSecond } = await load(options);
  await delay(STATISTICS_MS);
  return ((await blocksRead(sql)) - before) / (requestsPerSecond * seconds);
}

async function blocksRead(sql: Pool): Promise<number> {
  const { rows } = await sql.query<{ read: number }>(
    'SELECT blks_read::float8 AS read FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.read ?? Number.NaN;
}

/** Prints each kind of page as a table. */
export function manyPagesTable(pages: readonly ManyPage[]): string {
  const head = [
    `page of ${String(LIMIT)} of a random datagrid`,
    'requests/s',
    '÷ few datagrids',
    'of bare',
    'of bare, few datagrids',
    'p50 ms',
    'p50 ÷ few datagrids',
    'p99 ms',
    'p99 ms, few datagrids',
    'blocks read',
  ];
  const ratio = (of: LoadResult, by: LoadResult): string =>
    (of.requestsPerSecond / by.requestsPerSecond).toFixed(2);
  return markdownTable(
    head,
    pages.map(({ kind, service, bare, few, fewBare, blocksRead: blocks }) => [
      kind,
      service.requestsPerSecond.toFixed(0),
      ratio(service, few),
      ratio(service, bare),
      ratio(few, fewBare),
      service.p50Ms.toFixed(2),
      (service.p50Ms / few.p50Ms).toFixed(2),
      service.p99Ms.toFixed(2),
      few.p99Ms.toFixed(2),
      blocks.toFixed(2),
    ]),
  );
}
