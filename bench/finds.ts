import { exampleValues, INDEXED } from './data';
import { inTurns, type Contender, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

/** Finding by an indexed column, beside the first page of all rows of the same size. */
export async function measureFinds(bench: Bench, plan: Plan, table: Table): Promise<void> {
  const path = `/api/v1/public/datagrids/${bench.datagridId}/rows?`;
  const get = (parameters: Record<string, string>): Contender => ({
    port: bench.service.port,
    request: {
      method: 'GET',
      path: path + String(new URLSearchParams(parameters)),
      key: bench.key,
    },
    expectedStatus: 200,
  });
  const filter = JSON.stringify({ [INDEXED]: exampleValues(5_000)[INDEXED] });
  const small: readonly (readonly [string, Contender])[] = [
    ['page of 20, equal by index', get({ filter })],
    ['page of 20, sorted by index', get({ sort: INDEXED })],
    ['page of 20, sorted downwards', get({ sort: `-${INDEXED}` })],
    ['page of 20, sorted, by cursor', get({ sort: INDEXED, cursor: '' })],
  ];
  await measureBeside(get({}), small, plan, table);
  const whole = get({ filter, limit: '100' });
  const name = 'page of 100, equal by index';
  await measureBeside(get({ limit: '100' }), [[name, whole]], plan, table);
}

async function measureBeside(
  first: Contender,
  asked: readonly (readonly [string, Contender])[],
  plan: Plan,
  table: Table,
): Promise<void> {
  const [plain, ...found] = await inTurns(plan, [first, ...asked.map(([, each]) => each)]);
  for (const [index, [name]] of asked.entries()) {
    const result = found[index];
    if (!plain || !result) throw new Error('A contender is missing.');
    table.add(name, result, `p50 ${(result.p50Ms / plain.p50Ms).toFixed(2)} × first`);
  }
}
