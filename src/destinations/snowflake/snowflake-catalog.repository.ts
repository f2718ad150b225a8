import { tableMissing } from './snowflake-error';
import type { SnowflakeSession } from './snowflake-session.repository';
import { literal, nameOf, quoted } from './snowflake-sql';

/** Table with the states of all tables of a schema. */
export const STATE_TABLE = quoted('_datagrid_sync');

/** What has a name in the schema: a view with its definition, or a table. */
export type FoundObject = { readonly definition: string } | 'table';

const here = (name: string): string =>
  `TABLE_SCHEMA = CURRENT_SCHEMA() AND TABLE_NAME = ${literal(nameOf(name))}`;

/** Returns what has a name in the schema; `null` if nothing has. */
export async function findObject(
  session: SnowflakeSession,
  name: string,
): Promise<FoundObject | null> {
  const [view] = await session.query(
    `SELECT VIEW_DEFINITION FROM INFORMATION_SCHEMA.VIEWS WHERE ${here(name)}`,
  );
  if (view) return { definition: view[0] ?? '' };
  const [table] = await session.query(
    `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE ${here(name)}`,
  );
  return table ? 'table' : null;
}

/** Returns whether an object is a view of a table, whose name needs no quotes. */
export const isViewOf = (found: FoundObject | null, table: string): boolean =>
  found !== null && found !== 'table' && new RegExp(`\\b${table}\\b`).test(found.definition);

/** Returns the names of the columns of a table. */
export async function columnsOf(session: SnowflakeSession, name: string): Promise<Set<string>> {
  const rows = await session.query(
    `SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE ${here(name)}`,
  );
  if (rows.length === 0) throw tableMissing();
  return new Set(rows.map(([column]) => column ?? ''));
}

/** Returns the names of the tables that begin with a text. */
export async function listTables(session: SnowflakeSession, prefix: string): Promise<string[]> {
  const rows = await session.query(`SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
    WHERE TABLE_SCHEMA = CURRENT_SCHEMA()
      AND LEFT(TABLE_NAME, ${String(prefix.length)}) = ${literal(prefix)}`);
  return rows.map(([name]) => name ?? '').filter((name) => name.startsWith(prefix));
}

/** Creates the table of states, if it does not exist. */
export async function createStates(session: SnowflakeSession): Promise<void> {
  if ((await findObject(session, '_datagrid_sync')) !== null) return;
  await session.run(`CREATE TABLE IF NOT EXISTS ${STATE_TABLE} (
    ID VARCHAR NOT NULL, TABLE_NAME VARCHAR NOT NULL, TOKEN NUMBER(19, 0) NOT NULL, STATE VARCHAR,
    DATA_COLUMNS VARCHAR, DATA_TABLE VARCHAR, VIEW_OF VARCHAR, LOAD_TABLE VARCHAR,
    UPDATED_AT TIMESTAMP_TZ(3))`);
}

/** Does what a sync does. Leaves only the table of states. @param name Name of no table. */
export async function testRights(session: SnowflakeSession, name: string): Promise<void> {
  await createStates(session);
  const [one, copy, view] = [quoted(name), quoted(`${name}_2`), quoted(`${name}_v`)];
  const stage = quoted('_datagrid_stage');
  try {
    await session.run(`CREATE TRANSIENT TABLE ${one} (ID NUMBER(19, 0))`);
    await session.run(`CREATE OR REPLACE TEMPORARY TABLE ${stage} (ID NUMBER(19, 0))`);
    await session.transaction(async () => {
      await session.run(
        `INSERT INTO ${one} SELECT f.VALUE::VARCHAR::NUMBER(19, 0)
         FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) f`,
        ['["1"]'],
      );
      await session.run(`UPDATE ${one} SET ID = ID + 1`);
      await session.run(`DELETE FROM ${one} t USING ${stage} s WHERE s.ID = t.ID`);
    });
    await session.run(`CREATE TRANSIENT TABLE ${copy} CLONE ${one}`);
    await session.run(`ALTER TABLE ${copy} ADD COLUMN "VALUE" VARCHAR`);
    await session.run(`CREATE OR REPLACE VIEW ${view} AS SELECT ID FROM ${copy}`);
  } finally {
    await session.run(`DROP VIEW IF EXISTS ${view}`).catch(() => undefined);
    for (const table of [one, copy]) {
      await session.run(`DROP TABLE IF EXISTS ${table}`).catch(() => undefined);
    }
  }
}
