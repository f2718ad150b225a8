import { join } from 'node:path';
import { parentOf } from '../cpu-time';
import { exampleValues } from '../data';
import { sendLoad } from '../load';
import { loadRequest, type RequestParts } from '../load-request';
import { median } from '../median';
import type { Plan } from '../measure';
import type { Bench } from '../prepare';
import { markdownTable } from '../table';
import { cpuOfChildren, Instance } from './instances';

const PAGE_ROWS = 20;
const CREATE_CLIENTS = 32;
const POOL_SIZE = 10;

/** One run of a load. CPU times are those of one request, in microseconds. */
interface Run {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  /** Of all processes of the instance, and of those that of its supervisor. */
  readonly serverMicros: number;
  readonly supervisorMicros: number;
  readonly postgresMicros: number;
}

/** An instance under load. */
interface Contender {
  readonly name: string;
  readonly workers: number;
  readonly instance: Instance;
  readonly isService: boolean;
}

interface Work {
  readonly name: string;
  readonly connections: number;
  readonly service: RequestParts;
  readonly bare: RequestParts;
  /** Status of the response of the service. The bare server responds with 200. */
  readonly status: number;
}

/**
 * Measures the service and bare servers with different numbers of processes, all in turns.
 * @returns a table of the medians.
 */
export async function measureWorkers(
  bench: Bench,
  plan: Plan,
  workers: readonly number[],
  folder: string,
): Promise<string> {
  const contenders = await startAll(bench, workers, folder);
  const backend = await bench.sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(backend.rows[0]?.pid ?? 0);
  try {
    const lines: string[][] = [];
    for (const work of worksOf(bench, plan)) {
      const runs = contenders.map((): Run[] => []);
      for (let round = 0; round <= plan.rounds; round += 1) {
        for (const [index, contender] of contenders.entries()) {
          const seconds = round === 0 ? 1 : plan.seconds;
          const run = await measure(contender, work, seconds, postmaster);
          if (round > 0) runs[index]?.push(run);
        }
      }
      lines.push(
        ...contenders.map((contender, index) => lineOf(work, contender, runs[index] ?? [])),
      );
    }
    return markdownTable(HEAD, lines);
  } finally {
    await Promise.all(contenders.map(({ instance }) => instance.stop()));
  }
}

async function startAll(
  { databaseUrl }: Bench,
  workers: readonly number[],
  folder: string,
): Promise<Contender[]> {
  const env = { DATABASE_URL: databaseUrl, RATE_LIMIT_REQUESTS: '1000000000' };
  const contenders: Contender[] = [];
  for (const count of workers) {
    const log = join(folder, `workers-${String(count)}.log`);
    // As many for each process as one process has by default.
    const size = String(POOL_SIZE * count);
    contenders.push(
      {
        name: 'service',
        workers: count,
        isService: true,
        instance: await Instance.ofService({ ...env, DATABASE_POOL_SIZE: size }, count, log),
      },
      {
        name: 'bare',
        workers: count,
        isService: false,
        instance: await Instance.ofBare({ ...env, DATABASE_POOL_SIZE: String(POOL_SIZE) }, count),
      },
    );
  }
  return contenders;
}

function worksOf(bench: Bench, plan: Plan): Work[] {
  const { key, middle, emptyDatagridId, bareSingleDatagridId } = bench;
  const api = '/api/v1/public/datagrids';
  const first = { method: 'GET', path: `/${middle.id}/1/${String(PAGE_ROWS)}` };
  return [
    {
      name: `page of ${String(PAGE_ROWS)} rows`,
      connections: plan.connections,
      service: { method: 'GET', path: `${api}/${middle.id}/rows?limit=${String(PAGE_ROWS)}`, key },
      bare: first,
      status: 200,
    },
    {
      name: 'create 1 row',
      connections: CREATE_CLIENTS,
      service: {
        method: 'POST',
        path: `${api}/${emptyDatagridId}/rows`,
        key,
        body: JSON.stringify({ values: exampleValues(1) }),
      },
      bare: { method: 'POST', path: `/${bareSingleDatagridId}/1` },
      status: 201,
    },
  ];
}

async function measure(
  { instance, isService, workers }: Contender,
  work: Work,
  seconds: number,
  postmaster: number,
): Promise<Run> {
  const [before, postgresBefore] = [instance.cpu(), cpuOfChildren(postmaster)];
  const { requests, requestsPerSecond, p99Ms } = await sendLoad({
    port: instance.port,
    request: loadRequest(isService ? work.service : work.bare),
    connections: work.connections,
    seconds,
    expectedStatus: isService ? work.status : 200,
  });
  const [after, postgresAfter] = [instance.cpu(), cpuOfChildren(postmaster)];
  const first = (after.first - before.first) / requests;
  const children = (after.children - before.children) / requests;
  const hasSupervisor = workers > 1 || !isService;
  return {
    requestsPerSecond,
    p99Ms,
    serverMicros: first + children,
    supervisorMicros: hasSupervisor ? first : 0,
    postgresMicros: (postgresAfter - postgresBefore) / requests,
  };
}

const HEAD = [
  'measure',
  'processes',
  'requests/s',
  'p99 ms',
  'CPU µs/request',
  'of it supervisor',
  'PostgreSQL µs/request',
];

function lineOf({ name }: Work, contender: Contender, runs: readonly Run[]): string[] {
  const middle = (read: (run: Run) => number): number => median(runs.map(read));
  return [
    `${name}, ${contender.name}`,
    String(contender.workers),
    middle((run) => run.requestsPerSecond).toFixed(0),
    middle((run) => run.p99Ms).toFixed(2),
    middle((run) => run.serverMicros).toFixed(0),
    middle((run) => run.supervisorMicros).toFixed(1),
    middle((run) => run.postgresMicros).toFixed(0),
  ];
}
