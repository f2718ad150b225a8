import { withClient } from '../support/database-url';
import { dataOf, newDatagrid } from '../support/fixture';
import { Arena, hammer, type Attacker } from './support/arena';

const FOR_MS = 15_000;
/** An array of so many empty objects is 1 MB as JSON, 3 MB in memory of PostgreSQL, and 30 kB stored. */
const OBJECTS = 340_000;
const JSON_ROWS = 40;
const TEXT_CHARACTERS = 1_000_000;
const TEXT_ROWS = 200;
const CHOICES = Array.from({ length: 1_000 }, (_, n) => String(n).padEnd(190, 'x'));
const CHOICE_ROWS = 100;

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.start();
}, 120_000);

afterAll(() => arena.stop());

/** A datagrid of one column `d`, and the same value in every row: the first one is copied. */
async function sheetOf(
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

/** As many changes at a time as there are columns, each on the instance of its turn. */
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

it('answers another account while one changes the types of three columns of large JSON at a time', async () => {
  const columns: string[] = [];
  const outcome = await arena.run('three types of large JSON', {
    forMs: FOR_MS,
    prepare: async (attacker) => {
      const value = Array.from({ length: OBJECTS }, () => ({}));
      while (columns.length < 3) {
        columns.push(await sheetOf(attacker, { type: 'json' }, value, JSON_ROWS));
      }
    },
    run: (attacker) =>
      change(attacker, columns, [
        { type: 'text' },
        { type: 'multiSelect', options: { choices: CHOICES } },
      ]),
  });
  arena.expectUnhurt(outcome);
});

it('answers another account while one makes three columns of long texts addresses at a time', async () => {
  const columns: string[] = [];
  const outcome = await arena.run('three types of long texts', {
    forMs: FOR_MS,
    prepare: async (attacker) => {
      const value = 'a'.repeat(TEXT_CHARACTERS);
      while (columns.length < 3) {
        columns.push(await sheetOf(attacker, { type: 'text' }, value, TEXT_ROWS));
      }
    },
    run: (attacker) => change(attacker, columns, [{ type: 'email' }, { type: 'url' }]),
  });
  arena.expectUnhurt(outcome);
});

it('answers another account while one takes a choice from three columns whose rows hold a thousand', async () => {
  const columns: string[] = [];
  const outcome = await arena.run('three choices that rows hold', {
    forMs: FOR_MS,
    prepare: async (attacker) => {
      const column = { type: 'multiSelect', options: { choices: CHOICES } };
      while (columns.length < 3) {
        columns.push(await sheetOf(attacker, column, CHOICES, CHOICE_ROWS));
      }
    },
    run: (attacker) => change(attacker, columns, [{ options: { choices: CHOICES.slice(1) } }]),
  });
  arena.expectUnhurt(outcome);
});
