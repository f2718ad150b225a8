import { exampleValues, INDEXED } from './data';
import { inTurns, type Contender, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

/** Finding by an indexed column, beside the first page of 20 of all rows. */
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
  const asked: readonly (readonly [string, Contender])[] = [
    ['page of 20, equal by index', get({ filter })],
    ['page of 200, equal by index', get({ filter, limit: '200' })],
    ['page of 20, sorted by index', get({ sort: INDEXED })],
    ['page of 20, sorted downwards', get({ sort: `-${INDEXED}` })],
    ['page of 20, sorted, by cursor', get({ sort: INDEXED, cursor: '' })],
  ];
  const [first, ...found] = await inTurns(plan, [get({}), ...asked.map(([, each]) => each)]);
  for (const [index, [name]] of asked.entries()) {
    const result = found[index];
    if (!first || !result) throw new Error('A contender is missing.');
    table.add(name, result, `p50 ${(result.p50Ms / first.p50Ms).toFixed(2)} × first`);
  }
}
