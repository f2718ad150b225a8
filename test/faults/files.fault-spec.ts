import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { download, open, read, type Download } from '../e2e/export/download';
import { largeSheet } from '../e2e/export/large-sheet';
import { importNdjson, numbered, SlowImport } from '../e2e/import/sending';
import { adminJson } from '../cli/admin';
import type { ApiClient, Json } from '../support/api-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { printFigures } from './support/figures';
import { expectWithin } from './support/measured';
import { NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

/** About 60 MB: much more than the buffers of the network and the instance. */
const MANY = 60_000;
const STEP_ROWS = 50;
const LINES_AT_ONCE = 5;
/** Limit for a machine that does nothing else. */
const IN_TIME_MS = 20_000;
const PATIENCE_MS = 60_000;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;
let api: ApiClient;
let sheet: string;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  replicas = await Replicas.start(1, {
    DATABASE_URL: postgres.url,
    IMPORT_BATCH_ROWS: String(STEP_ROWS),
    // If one is not released, the next one is rejected.
    MAX_CONCURRENT_IMPORTS: '1',
    MAX_CONCURRENT_EXPORTS: '1',
  });
  owner = await newOwner(postgres.url);
  api = replicas.api(0, owner.key);
  sheet = await withClient(postgres.url, (sql) => largeSheet({ sql }, { api }, MANY));
});

afterAll(async () => {
  await postgres.thaw();
  await replicas.kill();
  await postgres.remove();
});

const origin = (): string => replicas.origins[0] ?? '';

/** Starts an export and waits for its first bytes. */
async function beginExport(): Promise<IncomingMessage> {
  const response = await open({ origin: origin() }, owner, `${sheet}/rows/export`);
  await once(response, 'readable');
  return response;
}

/** An import that sends lines until it is stopped or gets its response. */
class SteadyImport {
  sentRows = 0;
  private readonly sent: SlowImport;
  private readonly timer: NodeJS.Timeout;

  constructor(readonly grid: string) {
    this.sent = SlowImport.start({ port: Number(new URL(origin()).port) }, owner, grid);
    this.timer = setInterval(() => {
      this.sent.write(numbered(this.sentRows + 1, (this.sentRows += LINES_AT_ONCE)));
    }, 5);
    void this.response
      .catch(() => undefined)
      .finally(() => {
        this.stop();
      });
  }

  get response(): SlowImport['response'] {
    return this.sent.response;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  end(): void {
    this.stop();
    this.sent.end();
  }
}

/** Starts an import and waits until some batches are committed. */
async function beginImport(): Promise<SteadyImport> {
  const started = new SteadyImport(await newDatagrid(api, [{ key: 'n', type: 'integer' }]));
  await eventually(async () => (await rowCount(started.grid)) >= 2 * STEP_ROWS, PATIENCE_MS);
  return started;
}

/**
 * Starts an import and then an export. The export is last, because it is not read: after a second,
 * the instance would store the rest on disk and no longer need the database.
 */
const beginBoth = async (): Promise<[SteadyImport, IncomingMessage]> => [
  await beginImport(),
  await beginExport(),
];

const rowCount = async (grid: string): Promise<number> =>
  dataOf(await api.get(grid), 200).rowCount as number;

/** Returns the report of the last import after it has ended. */
async function reportOf(grid: string): Promise<Json> {
  // The first requests may fail on connections that were lost when PostgreSQL was killed.
  const { body } = await eventually(async () => {
    const listed = await api.get(`${grid}/imports`);
    return listed.status === 200 && listed;
  }, PATIENCE_MS);
  const [{ id }] = body.data;
  return eventually(async () => {
    const report = dataOf(await api.get(`${grid}/imports/${String(id)}`), 200);
    return report.state !== 'running' && report;
  }, PATIENCE_MS);
}

const expectWhole = (got: Download): void => {
  expect([got.status, got.isWhole, got.trailers['export-rows']]).toEqual([200, true, String(MANY)]);
  expect(got.text.split('\n')).toHaveLength(MANY + 1);
};

/** Returns the number of database sessions of exports and imports. */
const fileSessions = (): Promise<number> =>
  withClient(postgres.url, async (client) => {
    const { rows } = await client.query<{ count: number }>(`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND application_name = '' AND pid <> pg_backend_pid()`);
    return rows[0]?.count ?? 0;
  });

async function expectConsistent(grid: string, rows: number): Promise<void> {
  const numbers = await NumberedGrid.stored(api, grid);
  expect(numbers).toEqual(Array.from({ length: rows }, (_, index) => index + 1));
  expect(await adminJson({ DATABASE_URL: postgres.url }, 'verify')).toMatchObject({ ok: true });
  // Sessions that were open while PostgreSQL was unavailable are closed.
  await eventually(async () => (await fileSessions()) === 0, PATIENCE_MS);
}

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const FAULTS: readonly Fault[] = [
  { name: 'SIGSTOP', begin: () => postgres.freeze(), end: () => postgres.thaw() },
  // Staged lines are in an unlogged table, so they are lost.
  { name: 'kill -9', begin: () => postgres.kill(), end: () => postgres.start() },
];

describe('an import and an export', () => {
  it.each(FAULTS)(
    'end in time if PostgreSQL is unavailable ($name), and the report matches the committed rows',
    async ({ name, begin, end }) => {
      const [importing, exporting] = await beginBoth();
      const beganAtMs = performance.now();
      await begin();
      const since = (): number => performance.now() - beganAtMs;
      // Both end before PostgreSQL is available again.
      const [cut, responded] = await Promise.all([
        read(exporting).then((got) => ({ got, ms: since() })),
        importing.response.then((response) => ({ ...response, ms: since() })),
      ]);
      await end();
      expect([cut.got.status, cut.got.isWhole, cut.got.trailers]).toEqual([200, false, {}]);
      expect([responded.status, responded.headers['retry-after']]).toEqual([
        503,
        expect.anything(),
      ]);
      expectWithin(Math.max(cut.ms, responded.ms), IN_TIME_MS);

      const report = await reportOf(importing.grid);
      expect(responded.headers.location).toMatch(new RegExp(`/imports/${String(report.id)}$`));
      const committed = await rowCount(importing.grid);
      expect(report).toMatchObject({
        state: 'failed',
        committedRows: committed,
        nextLine: committed + 1,
        failure: { code: 'unavailable' },
      });
      const rest = numbered(committed + 1, importing.sentRows);
      dataOf(await importNdjson(api, importing.grid, rest), 201);
      await expectConsistent(importing.grid, importing.sentRows);
      expectWhole(await download({ origin: origin() }, owner, `${sheet}/rows/export`));
      printFigures(`PostgreSQL unavailable during an export and an import: ${name}`, {
        'export cut after ms': cut.ms,
        'import response after ms': responded.ms,
        'rows sent': importing.sentRows,
        'committed before': committed,
      });
    },
  );

  it('continue if PostgreSQL was stopped for a moment', async () => {
    const [importing, exporting] = await beginBoth();
    await postgres.freeze();
    // Waits until more lines have been sent.
    const sent = importing.sentRows;
    await eventually(() => importing.sentRows > sent + 20 * STEP_ROWS, PATIENCE_MS);
    await postgres.thaw();
    importing.end();
    const [got, { status }] = await Promise.all([read(exporting), importing.response]);
    expectWhole(got);
    expect(status).toBe(201);
    expect(await reportOf(importing.grid)).toMatchObject({
      state: 'completed',
      committedRows: importing.sentRows,
    });
    await expectConsistent(importing.grid, importing.sentRows);
  });
});
