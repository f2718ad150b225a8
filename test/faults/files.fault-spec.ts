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
import { NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, Replicas, type Owner } from './support/replicas';

/** Some 60 MB: far more than the network and the instance take at once. */
const MANY = 60_000;
const STEP_ROWS = 50;
const LINES_AT_ONCE = 5;
/** Far more than the some 6 s that it is to take, and far less than for ever. */
const IN_TIME_MS = 20_000;

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
    // One of each that is not let go of, and the next one is refused.
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

/** An export of which the first bytes are there. */
async function beginExport(): Promise<IncomingMessage> {
  const answer = await open({ origin: origin() }, owner, `${sheet}/rows/export`);
  await once(answer, 'readable');
  return answer;
}

/** Sends line after line, until it is told to stop or gets its answer. */
class SteadyImport {
  sentRows = 0;
  private readonly sent: SlowImport;
  private readonly timer: NodeJS.Timeout;

  constructor(readonly grid: string) {
    this.sent = SlowImport.start({ port: Number(new URL(origin()).port) }, owner, grid);
    this.timer = setInterval(() => {
      this.sent.write(numbered(this.sentRows + 1, (this.sentRows += LINES_AT_ONCE)));
    }, 5);
    void this.answer
      .catch(() => undefined)
      .finally(() => {
        this.stop();
      });
  }

  get answer(): SlowImport['answer'] {
    return this.sent.answer;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  end(): void {
    this.stop();
    this.sent.end();
  }
}

/** An import of which some steps are committed. */
async function beginImport(): Promise<SteadyImport> {
  const started = new SteadyImport(await newDatagrid(api, [{ key: 'n', type: 'integer' }]));
  await eventually(async () => (await rowCount(started.grid)) >= 2 * STEP_ROWS);
  return started;
}

/**
 * The export comes last: nobody reads it, so that after a second what is left of it goes to the
 * instance's disk, and the database is no longer needed for it.
 */
const beginBoth = async (): Promise<[SteadyImport, IncomingMessage]> => [
  await beginImport(),
  await beginExport(),
];

const rowCount = async (grid: string): Promise<number> =>
  dataOf(await api.get(grid), 200).rowCount as number;

/** The last import's report, once it is over. */
async function reportOf(grid: string): Promise<Json> {
  // Not at once: what PostgreSQL was killed on is noticed when it is used.
  const { body } = await eventually(async () => {
    const listed = await api.get(`${grid}/imports`);
    return listed.status === 200 && listed;
  });
  const [{ id }] = body.data;
  return eventually(async () => {
    const report = dataOf(await api.get(`${grid}/imports/${String(id)}`), 200);
    return report.state !== 'running' && report;
  }, 30_000);
}

const expectWhole = (got: Download): void => {
  expect([got.status, got.isWhole, got.trailers['export-rows']]).toEqual([200, true, String(MANY)]);
  expect(got.text.split('\n')).toHaveLength(MANY + 1);
};

/** PostgreSQL's processes for what files go by: exports and the lines of imports. */
const fileSessions = (): Promise<number> =>
  withClient(postgres.url, async (client) => {
    const { rows } = await client.query<{ count: number }>(`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND application_name = '' AND pid <> pg_backend_pid()`);
    return rows[0]?.count ?? 0;
  });

async function expectUnhurt(grid: string, rows: number): Promise<void> {
  const numbers = await NumberedGrid.stored(api, grid);
  expect(numbers).toEqual(Array.from({ length: rows }, (_, index) => index + 1));
  expect(await adminJson({ DATABASE_URL: postgres.url }, 'verify')).toMatchObject({ ok: true });
  // What is left open where PostgreSQL was gone is let go of.
  await eventually(async () => (await fileSessions()) === 0, 30_000);
}

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const FAULTS: readonly Fault[] = [
  { name: 'SIGSTOP', begin: () => postgres.freeze(), end: () => postgres.thaw() },
  // What is staged is not logged, and gone.
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
      const [cut, answered] = await Promise.all([
        read(exporting).then((got) => ({ got, ms: since() })),
        importing.answer.then((answer) => ({ ...answer, ms: since() })),
      ]);
      await end();
      const endedAtMs = performance.now();
      expect([cut.got.status, cut.got.isWhole, cut.got.trailers]).toEqual([200, false, {}]);
      expect([answered.status, answered.headers['retry-after']]).toEqual([503, expect.anything()]);
      expect(Math.max(cut.ms, answered.ms)).toBeLessThan(IN_TIME_MS);

      const report = await reportOf(importing.grid);
      const toldMs = performance.now() - endedAtMs;
      expect(answered.headers.location).toMatch(new RegExp(`/imports/${String(report.id)}$`));
      const committed = await rowCount(importing.grid);
      expect(report).toMatchObject({
        state: 'failed',
        committedRows: committed,
        nextLine: committed + 1,
        failure: { code: 'unavailable' },
      });
      const rest = numbered(committed + 1, importing.sentRows);
      dataOf(await importNdjson(api, importing.grid, rest), 201);
      await expectUnhurt(importing.grid, importing.sentRows);
      expectWhole(await download({ origin: origin() }, owner, `${sheet}/rows/export`));
      printFigures(`PostgreSQL unavailable during an export and an import: ${name}`, {
        'export cut after ms': cut.ms,
        'import answered after ms': answered.ms,
        'rows sent': importing.sentRows,
        'committed before': committed,
        'report true after ms': toldMs,
      });
    },
  );

  it('continue if PostgreSQL was stopped for a moment', async () => {
    const [importing, exporting] = await beginBoth();
    await postgres.freeze();
    // Nothing moves, for as long as it takes to send some lines more.
    const sent = importing.sentRows;
    await eventually(() => importing.sentRows > sent + 20 * STEP_ROWS);
    await postgres.thaw();
    importing.end();
    const [got, { status }] = await Promise.all([read(exporting), importing.answer]);
    expectWhole(got);
    expect(status).toBe(201);
    expect(await reportOf(importing.grid)).toMatchObject({
      state: 'completed',
      committedRows: importing.sentRows,
    });
    await expectUnhurt(importing.grid, importing.sentRows);
  });
});
