import { kill } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { ApiClient, ApiResponse } from '../../support/api-client';
import { dataOf, newDatagrid } from '../../support/fixture';
import type { Member } from '../../support/test-app';
import { CopiedService } from './copies';

const KILLS = 50;
const ROWS = 3_000;
const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
];

let service: CopiedService;
let owner: Member;

// Starts two instances of its own: only one of them has copies, and its process is killed.
beforeAll(async () => {
  service = await CopiedService.start();
  owner = await service.app.newAccount();
});

afterAll(() => service.close());

const ask = async (api: ApiClient, path: string): Promise<readonly ApiResponse[]> => [
  await api.post(`${path}/query`, { filter: { n: { $lt: 50 } }, sort: '-name,n', limit: 20 }),
  await api.post(`${path}/aggregate`, {
    groupBy: [{ column: 'name' }],
    aggregates: [{ function: 'count' }, { function: 'sum', column: 'n' }],
  }),
];

it('an instance returns correct responses while the process of its columnar copies is killed at random moments', async () => {
  const datagrid = await newDatagrid(owner.api, COLUMNS);
  const [path, datagridId] = [`${datagrid}/rows`, datagrid.split('/').at(-1) ?? ''];
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    values: { name: `Name ${String(index % 7)}`, n: index % 100 },
  }));
  for (let at = 0; at < ROWS; at += 1_000) {
    dataOf(await owner.api.post(path, { rows: rows.slice(at, at + 1_000) }), 201);
  }
  const other = service.other.api(owner.key);
  const pauses = fc.sample(fc.integer({ min: 0, max: 60 }), KILLS);
  for (const pauseMs of pauses) {
    const { pid, signal } = await service.process();
    // In about half of the cases, the copy exists already and lacks changes.
    if (pauseMs % 2 === 0) await service.load(owner.accountId, datagridId);
    const work = Promise.all([
      service.load(owner.accountId, datagridId),
      other.post(path, { values: { name: 'New', n: 7 } }),
      ask(owner.api, path),
      other.patch(`${path}/${String(1 + pauseMs)}`, { values: { n: 50 } }),
      ask(owner.api, path),
    ]);
    await delay(pauseMs);
    if (!signal.aborted) kill(pid ?? 0, 'SIGKILL');
    const [, , first, , second] = await work;
    for (const { status } of [...first, ...second]) expect(status).toBe(200);
    const texts = async (api: ApiClient): Promise<readonly string[]> =>
      (await ask(api, path)).map(({ text }) => text);
    expect(await texts(owner.api)).toEqual(await texts(other));
  }
  await service.load(owner.accountId, datagridId);
  const before = await service.outcomes();
  await ask(owner.api, path);
  expect((await service.outcomes()).served).toBe(before.served + 2);
}, 300_000);
