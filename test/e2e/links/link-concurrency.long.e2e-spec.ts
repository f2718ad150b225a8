import type { ApiClient, Json } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type RandomBelow, seededRandom } from '../../support/seeded-random';
import { type Member, TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { createRows, idOf, valuesOf } from './linked-sheets';

let replicas: [TestApp, TestApp];
let owner: Member;

beforeAll(async () => {
  const first = await TestApp.shared();
  replicas = [first, await TestApp.start({ database: first.database })];
  owner = await first.newAccount();
});

afterAll(async () => {
  await replicas[1].close();
  await replicas[0].close();
});

const KEEPERS = 10;
const ROWS = 30;
const CLIENTS = 12;
const ROUNDS = 25;

/** Statuses that an operation may have: done, a link to a missing row, no such row, restricted. */
const EXPECTED = [200, 201, 204, 400, 404, 409];

describe('writers of links and deletions of linked rows in random order', () => {
  it.each([1, 2])(
    'leave no link to a missing row, break no restriction and fail in no other way (seed %i)',
    async (seed) => {
      const { api } = owner;
      const workspaceId = await newWorkspace(api);
      const targets = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspaceId);
      const to = (path: string, onDelete: string): object => ({ datagridId: idOf(path), onDelete });
      const sources = await newDatagrid(
        api,
        [
          { key: 'clear', type: 'link', options: to(targets, 'clear') },
          { key: 'cascade', type: 'link', options: to(targets, 'cascade') },
          { key: 'restrict', type: 'link', options: to(targets, 'restrict') },
          { key: 'many', type: 'multiLink', options: to(targets, 'clear') },
        ],
        workspaceId,
      );
      const leaves = await newDatagrid(
        api,
        [{ key: 'source', type: 'link', options: to(sources, 'cascade') }],
        workspaceId,
      );
      // A circle: a deletion in any of the three datagrids locks others.
      const back = { key: 'leaf', type: 'link', options: to(leaves, 'clear') };
      dataOf(await api.post(`${targets}/columns`, back), 201);
      const names = Array.from({ length: ROWS }, (_, index) => ({ name: String(index) }));
      await createRows(api, targets, names);
      // The first rows are always restricted.
      const keeping = Array.from({ length: KEEPERS }, (_, index) => ({ restrict: index + 1 }));
      await createRows(api, sources, keeping);
      await createRows(api, leaves, [{ source: 1 }]);

      const statuses = new Set<number>();
      const kept: number[] = [];
      const run = async (client: ApiClient, random: RandomBelow): Promise<void> => {
        const pick = (max: number): number => 1 + random(max);
        const note = ({ status }: { readonly status: number }): void => {
          statuses.add(status);
        };
        for (let round = 0; round < ROUNDS; round += 1) {
          const id = pick(ROWS);
          const key = ['clear', 'cascade', 'restrict'][pick(3) - 1] ?? 'clear';
          const many = [...new Set([pick(ROWS), pick(ROWS)])];
          const action = pick(8);
          if (action === 1) note(await client.post(`${sources}/rows`, { values: { [key]: id } }));
          if (action === 2) note(await client.post(`${sources}/rows`, { values: { many } }));
          if (action === 3) {
            const values = { clear: id, many };
            note(await client.patch(`${sources}/rows/${String(KEEPERS + pick(20))}`, { values }));
          }
          if (action === 4) note(await client.delete(`${targets}/rows/${String(id)}`));
          if (action === 5) {
            const filter = { _id: { $in: many } };
            note(await client.post(`${targets}/rows/delete`, { filter }));
          }
          if (action === 6) {
            const operations = many.map((each) => ({ op: 'create', values: { source: each } }));
            note(await client.post(`${leaves}/rows/batch`, { mode: 'atomic', operations }));
          }
          if (action === 7) {
            const target = pick(KEEPERS);
            const response = await client.delete(`${targets}/rows/${String(target)}`);
            if (response.status === 204) kept.push(target);
            note(response);
          }
          if (action === 8) {
            const operations = [{ op: 'delete', id: KEEPERS + pick(20) }];
            note(await client.post(`${sources}/rows/batch`, { mode: 'partial', operations }));
          }
        }
      };
      await Promise.all(
        Array.from({ length: CLIENTS }, (_, client) => {
          const app = replicas[client % 2] ?? replicas[0];
          return run(app.api(owner.key), seededRandom(seed * 100 + client));
        }),
      );
      expect([...statuses].filter((status) => !EXPECTED.includes(status))).toEqual([]);
      expect(statuses).toContain(204);
      expect(statuses).toContain(409);
      expect(kept).toEqual([]);
      const existing = new Set(Object.keys(await valuesOf(api, targets)).map(Number));
      const rows = Object.values(await valuesOf(api, sources)) as Json[];
      const links = rows.flatMap(({ clear, cascade, restrict, many = [] }) => [
        ...[clear, cascade, restrict].filter((id) => id !== undefined),
        ...(many as number[]),
      ]);
      expect(links.filter((id) => !existing.has(id as number))).toEqual([]);
      expect(await problemsOf(replicas[0])).toEqual([]);
    },
    120_000,
  );
});
