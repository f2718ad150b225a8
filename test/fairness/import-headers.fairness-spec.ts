import { FileBody } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, hammer, sized, startArena } from './support/arena';

const COLUMNS = 500;
const FIRST_COLUMNS = 100;
const CLIENTS = sized(4, 16);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${String(n)}`);

const csv = (text: string): FileBody => new FileBody('text/csv', text);
const ndjson = (text: string): FileBody => new FileBody('application/x-ndjson', text);

const members = names(95_000).map((name) => `"${name}":1`);

/** Files of about 1 MB, each expensive to read for a different reason. */
const files: readonly (readonly [query: string, body: FileBody])[] = [
  ['', csv(`k0${','.repeat(1_000_000)}\na\n`)],
  ['', csv(`${'x,'.repeat(500_000)}x\na\n`)],
  ['', csv(`${names(140_000).join(',')}\na\n`)],
  ['?createColumns=true', csv(`${names(140_000).join(',')}\na\n`)],
  ['?onError=skip', csv(`k0\n${`${',""'.repeat(300_000)}\n`.repeat(2)}`)],
  ['?onError=skip', ndjson(`{${members.join(',')}}\n`.repeat(2))],
  ['?onError=skip', ndjson(`{"j":[${'{},'.repeat(340_000)}{}]}\n`.repeat(4))],
];

const unknownValues = Object.fromEntries(names(400).map((name) => [name, 1]));
const batch = {
  mode: 'partial',
  operations: Array.from({ length: 1_000 }, () => ({ op: 'create', values: unknownValues })),
};

it('serves another account while one account imports files whose first lines are expensive to read', async () => {
  let path = '';
  await arena.run('imports of lines with many cells and properties', {
    forMs: 15_000,
    prepare: async ({ api }) => {
      const key = (n: number): string => `k${String(n)}`;
      const first = Array.from({ length: FIRST_COLUMNS }, (_, n) => ({
        key: key(n),
        type: 'text',
      }));
      path = await newDatagrid(api(0), first);
      const others = Array.from({ length: COLUMNS - FIRST_COLUMNS }, (_, n) =>
        key(n + FIRST_COLUMNS),
      );
      const header = csv(`${others.join(',')}\n`);
      dataOf(await api(0).post(`${path}/rows/import?createColumns=true`, header), 201);
    },
    run: (attacker) =>
      hammer(attacker, CLIENTS, (client, turn) => {
        const file = files[(client + turn) % (files.length + 1)];
        const api = attacker.attack(client % 2);
        if (!file) return api.post(`${path}/rows/batch`, batch);
        const [query, body] = file;
        return api.post(`${path}/rows/import${query}`, body);
      }),
  });
});
