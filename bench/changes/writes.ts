import { exampleValues } from '../data';
import { importRows } from '../import-rows';
import { inTurns, type Contender, type Plan } from '../measure';
import { median } from '../median';
import type { Bench } from '../prepare';
import { inMemory, ndjsonFile } from '../row-file';
import type { ServerProcess } from '../server-process';
import { Api } from './api';
import { type Figure, watchCpu } from './figures';

const CLIENTS = 32;
const IMPORTED = 50_000;
/** Each deletion deletes a hundredth of the imported rows. */
const DELETIONS = 30;

/** A service, and a datagrid that only this service writes. */
interface Side {
  readonly service: ServerProcess;
  readonly datagridId: string;
}

/** Compares writes of a service that logs them with one that does not, in turns. */
export async function measureWrites(bench: Bench, plan: Plan): Promise<Figure[]> {
  const service = await bench.startService(undefined, { BENCH_WITHOUT_LOG: '1' });
  try {
    const sides: [Side, Side] = [
      { service: bench.service, datagridId: await bench.createDatagrid('Logged') },
      { service, datagridId: await bench.createDatagrid('Not logged') },
    ];
    const creates = await measureCreates(bench, sides, plan);
    const imports = await measureImports(bench, sides, plan.rounds);
    const deletes = await measureDeletes(bench, sides);
    await requireLog(bench, sides);
    return [creates, imports, deletes];
  } finally {
    await service.stop();
  }
}

/** Requires that only the first side has logged its writes. */
async function requireLog({ sql }: Bench, sides: readonly Side[]): Promise<void> {
  const { rows } = await sql.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM datagrid_changes WHERE datagrid_id = id) AS has
     FROM unnest($1::uuid[]) WITH ORDINALITY AS side(id, n) ORDER BY n`,
    [sides.map(({ datagridId }) => datagridId)],
  );
  const [on, off] = rows;
  if (on?.has !== true || off?.has !== false) throw new Error('The log is not on and off.');
}

async function measureCreates(bench: Bench, sides: readonly Side[], plan: Plan): Promise<Figure> {
  const contenders = sides.map(({ service: { port, pid }, datagridId }): Contender => {
    const path = `/api/v1/public/datagrids/${datagridId}/rows`;
    const body = JSON.stringify({ values: exampleValues(1) });
    return {
      port,
      pid,
      request: { method: 'POST', path, key: bench.key, body },
      expectedStatus: 201,
    };
  });
  const cpu = watchCpu();
  const [on, off] = await inTurns({ ...plan, connections: CLIENTS }, contenders);
  const rates = [on, off].map((result) => result?.requestsPerSecond ?? Number.NaN);
  return ratio(`single create over HTTP, ${String(CLIENTS)} clients`, 0.95, rates, cpu());
}

async function measureImports(
  bench: Bench,
  sides: readonly Side[],
  rounds: number,
): Promise<Figure> {
  const file = inMemory(ndjsonFile(IMPORTED));
  const cpu = watchCpu();
  const rates: number[][] = sides.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { service, datagridId }] of sides.entries()) {
      const startedMs = performance.now();
      await importRows({ service, key: bench.key, datagridId }, file);
      // The first round warms up.
      if (round > 0) rates[index]?.push((IMPORTED * 1_000) / (performance.now() - startedMs));
    }
  }
  return ratio(`import of ${String(IMPORTED)} rows`, 0.97, rates.map(median), cpu());
}

async function measureDeletes(bench: Bench, sides: readonly Side[]): Promise<Figure> {
  const cpu = watchCpu();
  const rates: number[][] = sides.map(() => []);
  for (let quantity = 0; quantity < DELETIONS; quantity += 1) {
    for (const [index, { service, datagridId }] of sides.entries()) {
      const api = new Api(service.port, bench.key);
      const startedMs = performance.now();
      const path = `/datagrids/${datagridId}/rows/delete`;
      await api.send('POST', path, { filter: { quantity } });
      rates[index]?.push(1_000 / (performance.now() - startedMs));
    }
  }
  return ratio('deletion of some thousand rows', 1, rates.map(median), cpu());
}

function ratio(what: string, least: number, rates: readonly number[], clientCpu: number): Figure {
  const [on = NaN, off = NaN] = rates;
  const measured = `${(on / off).toFixed(3)} (${on.toFixed(1)}/s with the log, ${off.toFixed(1)}/s without)`;
  const target = `≥ ${String(least)} of the rate without the log`;
  return { measure: what, target, measured, isMet: on / off >= least, clientCpu };
}
