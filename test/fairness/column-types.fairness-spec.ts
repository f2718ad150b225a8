import { withClient } from '../support/database-url';
import { dataOf, newDatagrid } from '../support/fixture';
import { type Arena, type Attacker, hammer, idOf, sized, startArena } from './support/arena';

const FOR_MS = 15_000;
/** Columns that are changed at the same time, each of its own datagrid. */
const COLUMNS = sized(3, 6);
/** Empty objects of an array, which has 1 MB as JSON, 3 MB in PostgreSQL's memory and 30 kB on disk. */
const OBJECTS = sized(340_000, 20_000);
const JSON_ROWS = sized(40, 2);
const TEXT_CHARACTERS = sized(1_000_000, 100_000);
const TEXT_ROWS = sized(200, 2);
const CHOICES = Array.from({ length: 1_000 }, (_, n) => String(n).padEnd(190, 'x'));
const CHOICE_ROWS = sized(100, 2);

let arena: Arena;

beforeAll(async () => {
  arena = await startArena();
}, 120_000);

afterAll(() => arena.stop());

/** Creates a datagrid with one column `d` and one value in all rows. @returns the path of the column. */
async function newFilledColumn(
  { api }: Attacker,
  column: object,
  value: unknown,
  count: number,
): Promise<string> {
  const path = await newDatagrid(api(0), [{ key: 'd', ...column }]);
  dataOf(await api(0).post(`${path}/rows`, { values: { d: value } }), 201);
  const values = [path.slice('/datagrids/'.length), count];
  await withClient(arena.databaseUrl, async (client) => {
    await client.query(COPY_ROWS, values);
    await client.query(COUNT_ROWS, values);
  });
  return `${path}/columns/d`;
}

const COPY_ROWS = `
  INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
  SELECT datagrid_id, n, "values", revision, created_at, updated_at
  FROM rows, generate_series(2, $2::bigint) n WHERE datagrid_id = $1 AND id = 1`;

const COUNT_ROWS = `
  UPDATE datagrid_counters SET last_row_id = $2::bigint, row_count = $2::bigint
  WHERE datagrid_id = $1`;

const datagridIdOf = (column: string): string => idOf(column).replace('/columns/d', '');

/** Changes all columns at the same time, repeatedly, on alternating instances. */
const change = (
  attacker: Attacker,
  columns: readonly string[],
  bodies: readonly object[],
): Promise<Record<string, number>> =>
  hammer(attacker, columns.length, (client, turn) =>
    attacker
      .attack((client + turn) % 2)
      .patch(columns[client] ?? '', bodies[turn % bodies.length] ?? {}),
  );

it('serves another account while one account changes the types of columns of large JSON at once', async () => {
  const columns: string[] = [];
  await arena.run('type changes of columns of large JSON', {
    forMs: FOR_MS,
    held: () => columns.map(datagridIdOf),
    maxStatements: 2,
    prepare: async (attacker) => {
      const value = Array.from({ length: OBJECTS }, () => ({}));
      while (columns.length < COLUMNS) {
        columns.push(await newFilledColumn(attacker, { type: 'json' }, value, JSON_ROWS));
      }
    },
    run: (attacker) =>
      change(attacker, columns, [
        { type: 'text' },
        { type: 'multiSelect', options: { choices: CHOICES } },
      ]),
  });
});

it('serves another account while one account changes columns of long texts to email and url at once', async () => {
  const columns: string[] = [];
  await arena.run('type changes of columns of long texts', {
    forMs: FOR_MS,
    held: () => columns.map(datagridIdOf),
    maxStatements: 2,
    prepare: async (attacker) => {
      const value = 'a'.repeat(TEXT_CHARACTERS);
      while (columns.length < COLUMNS) {
        columns.push(await newFilledColumn(attacker, { type: 'text' }, value, TEXT_ROWS));
      }
    },
    run: (attacker) => change(attacker, columns, [{ type: 'email' }, { type: 'url' }]),
  });
});

it('serves another account while one account removes a choice from columns whose rows have a thousand each', async () => {
  const columns: string[] = [];
  await arena.run('removals of a choice from columns', {
    forMs: FOR_MS,
    held: () => columns.map(datagridIdOf),
    maxStatements: 2,
    prepare: async (attacker) => {
      const column = { type: 'multiSelect', options: { choices: CHOICES } };
      while (columns.length < COLUMNS) {
        columns.push(await newFilledColumn(attacker, column, CHOICES, CHOICE_ROWS));
      }
    },
    run: (attacker) => change(attacker, columns, [{ options: { choices: CHOICES.slice(1) } }]),
  });
});
