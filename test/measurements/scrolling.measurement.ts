import type { CDPSession } from 'playwright-core';
import { SignedIn } from '../browser/signed-in';
import { newDatagrid } from '../support/fixture';

// Starts a service, a database and a browser, and inserts the rows.
jest.setTimeout(600_000);

const ROWS = 1_000_000;
const COLUMNS = 12;
/** Runs of wheel turns, each followed by a stop. */
const STOPS = 40;
const TURNS = 25;
const TURN_PIXELS = 2_000;

let signedIn: SignedIn;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
});

afterAll(() => signedIn.leave());

/** Inserts rows with SQL, because inserting is not what is measured. */
async function fill(datagridId: string): Promise<void> {
  const { sql } = signedIn.app;
  const texts = Array.from(
    { length: COLUMNS - 1 },
    (_, at) => `'c${String(at + 1)}', 'Value ' || n`,
  );
  await sql.query(
    `INSERT INTO rows SELECT $1, n, jsonb_build_object('c0', n, ${texts.join(', ')}), 1, now(), now()
     FROM generate_series(1, $2::bigint) AS n`,
    [datagridId, ROWS],
  );
  await sql.query(
    `UPDATE datagrid_counters SET row_count = $2, last_row_id = $2, revision = 1
     WHERE datagrid_id = $1`,
    [datagridId, ROWS],
  );
}

/** Collects tasks of more than 50 ms. */
const OBSERVE = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: false });
`;

/** Resolves with the milliseconds until all rows in view have values. */
const UNTIL_REAL = `new Promise((resolve) => {
  const startMs = performance.now();
  const view = document.querySelector('.ag-root').getBoundingClientRect();
  const look = () => {
    const cells = [...document.querySelectorAll('[row-index] [col-id="c1"]')].filter((cell) => {
      // The line for a new row.
      if (isNaN(cell.closest('[row-index]').getAttribute('row-index'))) return false;
      const { top, bottom } = cell.getBoundingClientRect();
      return bottom > view.top + 40 && top < view.bottom - 1;
    });
    const isReal = cells.length > 5 && cells.every((cell) => cell.textContent.startsWith('Value'));
    if (isReal) resolve(performance.now() - startMs);
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Name of the event that a trace has for each task of a thread. */
const TASK = 'ThreadControllerImpl::RunTask';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Time of the processor, in microseconds, without the time in which other programs had it. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Traces the page. @returns a function that stops, and returns the processor times of tasks in ms. */
async function traceTasks(client: CDPSession): Promise<() => Promise<number[]>> {
  const events: TraceEvent[] = [];
  client.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await client.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  return async () => {
    const complete = new Promise((resolve) => {
      client.once('Tracing.tracingComplete', resolve);
    });
    await client.send('Tracing.end');
    await complete;
    const threadOf = ({ pid, tid }: TraceEvent): string => `${String(pid)} ${String(tid)}`;
    const isMain = ({ name, args }: TraceEvent): boolean =>
      name === 'thread_name' && args.name === 'CrRendererMain';
    const main = new Set(events.filter(isMain).map(threadOf));
    return events
      .filter((event) => event.name === TASK && main.has(threadOf(event)))
      .map(({ tdur = 0 }) => tdur / 1_000);
  };
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const longest = (times: readonly number[]): number =>
  times.reduce((most, ms) => Math.max(most, ms), 0);

it(`prints the times of scrolling through ${ROWS.toLocaleString('en')} rows`, async () => {
  const { page } = signedIn.visitor;
  const columns = Array.from({ length: COLUMNS }, (_, at) => ({
    key: `c${String(at)}`,
    type: at === 0 ? 'integer' : 'text',
  }));
  const path = await newDatagrid(signedIn.api, columns);
  await fill(path.split('/').at(-1) ?? '');
  await signedIn.visitor.open(path);
  await signedIn.cell(1, 'c1').getByText('Value').waitFor();
  await page.evaluate(OBSERVE);
  const box = await page.locator('.ag-root').boundingBox();
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 200);
  const client = await page.context().newCDPSession(page);
  const stopTrace = await traceTasks(client);
  const waits: number[] = [];
  for (let stop = 0; stop < STOPS; stop += 1) {
    for (let turn = 0; turn < TURNS; turn += 1) await page.mouse.wheel(0, TURN_PIXELS);
    waits.push(await page.evaluate<number>(UNTIL_REAL));
  }
  const processorTimes = await stopTrace();
  await client.send('Performance.enable');
  const { metrics } = await client.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  const tasks = await page.evaluate<number[]>('window.longTasks');
  waits.sort((a, b) => a - b);
  process.stderr.write(
    [
      `scrolled to row · ${String(Math.round((STOPS * TURNS * TURN_PIXELS) / 32))} or less`,
      `stops ${String(STOPS)}`,
      `real rows after ms, median ${quantile(waits, 0.5).toFixed(0)}`,
      `95 % ${quantile(waits, 0.95).toFixed(0)}`,
      `longest ${quantile(waits, 1).toFixed(0)}`,
      `tasks over 50 ms ${String(tasks.length)}`,
      `longest task ms ${longest(tasks).toFixed(0)}`,
      `longest task by its processor time ms ${longest(processorTimes).toFixed(0)}`,
      `over 50 ms by it ${String(processorTimes.filter((ms) => ms > 50).length)}`,
      `heap MB ${(heap / 1e6).toFixed(0)}`,
    ].join(' · ') + '\n',
  );
  expect(waits).toHaveLength(STOPS);
});
