import type { MysqlSession } from './mysql-session.repository';
import { literal, quoted } from './mysql-sql';

const STATE_NAME = '_datagrid_sync';
/** Table with the states of all tables of a database. */
export const STATE_TABLE = quoted(STATE_NAME);

/** A table in the catalog. */
export interface FoundTable {
  readonly comment: string;
  /** Types of the columns by name, as the catalog names them. */
  readonly types: ReadonlyMap<string, string>;
}

/** Returns a table of the database; `null` if there is none with this name. */
export async function findTable(session: MysqlSession, name: string): Promise<FoundTable | null> {
  const where = `WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${literal(name)}`;
  const [table] = await session.query(
    `SELECT TABLE_COMMENT FROM information_schema.TABLES ${where}`,
  );
  if (!table) return null;
  const columns = await session.query(
    `SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS ${where}`,
  );
  const types = new Map(columns.map(([column, type]) => [column ?? '', type ?? '']));
  return { comment: table[0] ?? '', types };
}

/** Returns the names of the tables that begin with a text. */
export async function listTables(session: MysqlSession, prefix: string): Promise<string[]> {
  const rows = await session.query(`SELECT TABLE_NAME FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = DATABASE()
      AND LEFT(TABLE_NAME, ${String(prefix.length)}) = ${literal(prefix)}`);
  return rows.map(([name]) => name ?? '').filter((name) => name.startsWith(prefix));
}

/** Creates the table of states, if it does not exist. */
export async function createStates(session: MysqlSession): Promise<void> {
  if (await findTable(session, STATE_NAME)) return;
  await session.run(`CREATE TABLE IF NOT EXISTS ${STATE_TABLE} (
    id char(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
    table_name varchar(255) NOT NULL,
    token bigint NOT NULL,
    state longtext,
    columns longtext,
    load_table varchar(64),
    pending longtext,
    updated_at datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)
  ) ${session.types.tableOptions('States of connections of the datagrid platform.')}`);
}

/** Does what a sync does with tables. Leaves only the table of states. @param name Name of no table. */
export async function testRights(session: MysqlSession, name: string): Promise<void> {
  await createStates(session);
  const [one, other] = [quoted(name), quoted(`${name}_2`)];
  const stage = quoted('_datagrid_stage');
  try {
    await session.run(`CREATE TABLE ${one} (id bigint PRIMARY KEY)
      ${session.types.tableOptions('Test of a connection of the datagrid platform.')}`);
    await session.run(`CREATE TEMPORARY TABLE ${stage} (id bigint PRIMARY KEY)`);
    await session.transaction(async () => {
      await session.insert(one, 'id', oneLine());
      await session.run(`UPDATE ${one} SET id = id + 1`);
      await session.run(`DELETE t FROM ${one} t JOIN ${stage} s ON s.id = t.id`);
    });
    await session.run(`ALTER TABLE ${one} ADD COLUMN value bigint NULL`);
    await session.run(`RENAME TABLE ${one} TO ${other}`);
  } finally {
    for (const table of [one, other]) {
      await session.run(`DROP TABLE IF EXISTS ${table}`).catch(() => undefined);
    }
  }
}

async function* oneLine(): AsyncGenerator<readonly string[]> {
  yield await Promise.resolve(["'1'"]);
}
