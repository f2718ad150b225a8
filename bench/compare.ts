import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres';
import { cpuMicros } from './cpu-time';
import { exampleValues } from './data';
import { exportRows } from './exports';
import { importRows } from './import-rows';
import { inTurns, type Contender } from './measure';
import { median } from './median';
import { prepare, type Bench } from './prepare';
import { csvFile, inMemory, ndjsonFile } from './row-file';
import type { ServerProcess } from './server-process';
import { markdownTable } from './table';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '7' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
  },
});

const ROWS = Number(options.rows);
const ROUNDS = Number(options.rounds);
/** Load of one measure. Both builds share one PostgreSQL, so each round repeats every measure. */
const PLAN = {
  rounds: 3,
  seconds: Number(options.seconds),
  connections: Number(options.connections),
};
const BATCH_ROWS = 100;
const API = '/api/v1/public';

/** Whether the services have a core that the load generator and PostgreSQL do not use. */
const hasOwnCore = leaveLastCore();

type Both = readonly [before: number, after: number];

interface Round {
  /** Requests or rows per second. */
  readonly rates: Both;
  /** CPU time of the service for each request or row, in microseconds. */
  readonly cpu: Both;
}

/** Rounds of both builds, by measure. */
const measured = new Map<string, Round[]>();

function note(measure: string, round: Round): void {
  measured.set(measure, [...(measured.get(measure) ?? []), round]);
}

/** Returns the requests that integrators send most, addressed to one process. */
function requestsTo(bench: Bench, { port, pid }: ServerProcess): Record<string, Contender> {
  const { key } = bench;
  const rows = `${API}/datagrids/${bench.middle.id}/rows`;
  const empty = `${API}/datagrids/${bench.emptyDatagridId}/rows`;
  const last = Math.floor(ROWS / 20);
  const get = (path: string): Contender => {
    return { port, pid, request: { method: 'GET', path, key }, expectedStatus: 200 };
  };
  const send = (method: string, path: string, expectedStatus: number, body: object): Contender => {
    const request = { method, path, key, body: JSON.stringify(body) };
    return { port, pid, request, expectedStatus };
  };
  const values = exampleValues(1);
  const operations = Array.from({ length: BATCH_ROWS }, (_, n) => {
    return { op: 'create', values: exampleValues(n) };
  });
  return {
    'page of 20, first': get(`${rows}?limit=20`),
    'page of 20, last': get(`${rows}?limit=20&page=${String(last)}`),
    'page of 200': get(`${rows}?limit=200`),
    'sorted page of 20': get(`${rows}?limit=20&sort=customer`),
    'one row': get(`${rows}/17`),
    'create 1 row': send('POST', empty, 201, { values }),
    'update 1 row': send('PATCH', `${rows}/18`, 200, { values: { note: 'Changed.' } }),
    [`batch of ${String(BATCH_ROWS)} creates`]: send('POST', `${empty}/batch`, 200, {
      mode: 'atomic',
      operations,
    }),
  };
}

/** Runs one round in new processes of both builds, so that JIT decisions affect one round only. */
async function round(bench: Bench, directory: string, isEven: boolean): Promise<void> {
  // The builds take turns to start first, because the first process is warm earlier.
  const first = await bench.startService(isEven ? directory : undefined);
  const second = await bench.startService(isEven ? undefined : directory);
  const [before, after] = isEven ? [first, second] : [second, first];
  const services = [before, after] as const;
  if (hasOwnCore) for (const { pid } of services) moveToLastCore(pid);
  try {
    await measureAll(bench, services);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function measureAll(
  bench: Bench,
  services: readonly [before: ServerProcess, after: ServerProcess],
): Promise<void> {
  const [requests, others] = [requestsTo(bench, services[0]), requestsTo(bench, services[1])];
  for (const [measure, contender] of Object.entries(requests)) {
    if (!measure.includes(options.only)) continue;
    const other = others[measure];
    if (!other) throw new Error(`${measure} is missing.`);
    const [one, two] = await inTurns(PLAN, [contender, other]);
    note(measure, {
      rates: [one?.requestsPerSecond ?? NaN, two?.requestsPerSecond ?? NaN],
      cpu: [one?.cpuMicros ?? NaN, two?.cpuMicros ?? NaN],
    });
  }
  for (const file of [inMemory(csvFile(ROWS)), inMemory(ndjsonFile(ROWS))]) {
    if (!`import, ${file.type}`.includes(options.only)) continue;
    const rates = await both(services, (service) =>
      importRows({ service, key: bench.key, datagridId: bench.emptyDatagridId }, file),
    );
    note(`import, ${file.type}`, rates);
  }
  for (const query of ['format=csv', 'format=ndjson']) {
    if (!`export, ${query}`.includes(options.only)) continue;
    const rates = await both(services, (service) =>
      exportRows({ service, key: bench.key, datagridId: bench.middle.id }, query, ROWS),
    );
    note(`export, ${query}`, rates);
  }
}

async function both(
  services: readonly ServerProcess[],
  work: (service: ServerProcess) => Promise<void>,
): Promise<Round> {
  const rates: number[] = [];
  const cpu: number[] = [];
  for (const service of services) {
    const cpuAtStart = cpuMicros(service.pid);
    const started = performance.now();
    await work(service);
    rates.push((ROWS * 1000) / (performance.now() - started));
    cpu.push((cpuMicros(service.pid) - cpuAtStart) / ROWS);
  }
  return { rates: [rates[0] ?? NaN, rates[1] ?? NaN], cpu: [cpu[0] ?? NaN, cpu[1] ?? NaN] };
}

function line([measure, rounds]: [string, Round[]]): string[] {
  return [
    measure,
    ...comparison(rounds.map(({ rates }) => rates)),
    ...comparison(
      rounds.map(({ cpu }) => cpu),
      1,
    ),
  ];
}

/** Prints the medians before and after, the median of their ratios, and its range. */
function comparison(rounds: readonly Both[], digits = 0): string[] {
  const ratios = rounds.map(([before, after]) => after / before);
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
  return [
    median(rounds.map(([before]) => before)).toFixed(digits),
    median(rounds.map(([, after]) => after)).toFixed(digits),
    `${median(ratios).toFixed(3)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`,
  ];
}

/** Compares this build with another one. The argument is the `dist` directory of its checkout. */
async function main(): Promise<void> {
  const [directory] = positionals;
  if (directory === undefined || ROUNDS % 2 !== 1) {
    throw new Error('Usage: npm run bench:compare -- DIST_OF_THE_OTHER_BUILD [--rounds ODD]');
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'datagrid-bench-'));
  const postgres = await openEmbeddedPostgres({ dataDir, settings: { max_wal_size: '4GB' } });
  try {
    const bench = await prepare(postgres.url, [ROWS], dataDir);
    try {
      for (let n = 0; n < ROUNDS; n += 1) await round(bench, resolve(directory), n % 2 === 0);
    } finally {
      await bench.stop();
    }
  } finally {
    await postgres.release();
    await rm(dataDir, { recursive: true, force: true });
  }
  const ratio = 'after : before (range)';
  const head = ['measure', 'before/s', 'after/s', ratio, 'CPU µs before', 'CPU µs after', ratio];
  process.stdout.write(`${markdownTable(head, [...measured].map(line))}\n`);
}

/**
 * Runs this process, and those that it starts from now on, on all cores but the last.
 * @returns whether the system can do so. Without, a process takes up to half as much CPU time again
 *   for the same request on one core as on another, depending on what else runs there.
 */
function leaveLastCore(): boolean {
  const last = cpus().length - 1;
  return last > 0 && runOn(last === 1 ? '0' : `0-${String(last - 1)}`, process.pid);
}

/** Moves a process to the last core. */
function moveToLastCore(pid: number): void {
  runOn(String(cpus().length - 1), pid);
}

function runOn(cores: string, pid: number): boolean {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
    return true;
  } catch {
    return false;
  }
}

void main();
