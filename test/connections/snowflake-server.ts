import type { Destination } from '../../src/destinations/destination';
import { findObject } from '../../src/destinations/snowflake/snowflake-catalog.repository';
import { SnowflakeDestination } from '../../src/destinations/snowflake/snowflake-kind';
import {
  type SnowflakeAccess,
  SnowflakeSession,
} from '../../src/destinations/snowflake/snowflake-session.repository';
import { readSnowflakeSettings } from '../../src/destinations/snowflake/snowflake-settings';
import { nameOf, quoted } from '../../src/destinations/snowflake/snowflake-sql';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import {
  endSessions,
  SnowflakeEmulator,
  type SnowflakeLogin,
} from '../support/snowflake/snowflake-emulator';
import type { DestinationUnderTest, ReadRow } from './contract-tables';

/** What a test reads in one statement. */
const ALL_ROWS = { columns: 100, rows: 4_000_000, bytes: 2 ** 30 };

/** How the service connects to an emulator of a test. */
export function accessOf(
  { user, database, schema, port, privateKey }: SnowflakeLogin,
  settings: Readonly<Record<string, unknown>> = {},
  secret: string | null = privateKey,
): SnowflakeAccess {
  const url = `http://127.0.0.1:${String(port)}`;
  const own = { account: 'myorg-myaccount', user, warehouse: 'WH', database, schema, url };
  return {
    settings: readSnowflakeSettings({ ...own, ...settings }),
    secret,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  };
}

/** Returns SQL that prints a value as a test reads it. */
function printedSql(column: string, type: string): string {
  // The emulator knows only this form of a time.
  if (type.startsWith('TIMESTAMP')) return `TO_VARCHAR(CONVERT_TIMEZONE('UTC', ${column}))`;
  return `TO_VARCHAR(${column})`;
}

function valueOf(name: string, type: string, value: string | null): unknown {
  if (value === null) return null;
  if (type === 'BOOLEAN') return value === 'true';
  if (type === 'NUMBER' || type === 'FLOAT') return Number(value);
  if (type.startsWith('TIMESTAMP')) {
    const [, date = '', time = ''] = /^(\S+) (\d\d:\d\d:\d\d(?:\.\d+)?)/.exec(value) ?? [];
    const [whole = '', fraction = ''] = time.split('.');
    return `${date}T${whole}.${fraction.padEnd(3, '0')}Z`;
  }
  return name === 'tags' ? (JSON.parse(value) as unknown) : value;
}

/** Names in the destination are in upper case. */
const plainName = (name: string): string =>
  name === nameOf(name) && /^[A-Z_0-9]+$/.test(name) ? name.toLowerCase() : name;

/** Returns the rows of a table as `DestinationUnderTest.read` does. @param isRaw With all times. */
export async function readTable(
  session: SnowflakeSession,
  table: string,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  const columns = await session.query(
    `SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS
     WHERE TABLE_SCHEMA = CURRENT_SCHEMA() AND TABLE_NAME = ?`,
    [nameOf(table)],
  );
  if (columns.length === 0) return null;
  const shown = columns
    .map(([name, type]) => [name ?? '', type ?? ''] as const)
    .filter(([name]) => isRaw || name !== '_SYNCED_AT');
  const rows = await session.query(
    `SELECT ${shown.map(([name, type]) => printedSql(quoted(name), type)).join(', ')}
     FROM ${quoted(table)} ORDER BY ${quoted(columns.some(([name]) => name === '_ID') ? '_id' : 'id')}`,
    [],
    ALL_ROWS,
  );
  return rows.map((row) => {
    const values = shown.map(([name, type], index) => {
      const plain = plainName(name);
      return [plain, valueOf(plain, type, row[index] ?? null)] as const;
    });
    if (isRaw) return Object.fromEntries(values);
    const { _deleted_at: deletedAt = null, ...rest } = Object.fromEntries(values);
    return { ...rest, ...(deletedAt !== null && { _deleted_at: true }) };
  });
}

/** Returns the destination for a worker, whose predecessor was killed. */
export function destinationFor(login: SnowflakeLogin): Destination {
  const destination = new SnowflakeDestination(accessOf(login));
  return {
    test: () => destination.test(),
    open: async (table) => {
      await endSessions(login);
      return destination.open(table);
    },
  };
}

/** Runs statements in a session. */
export async function withSession<T>(
  login: SnowflakeLogin,
  work: (session: SnowflakeSession) => Promise<T>,
): Promise<T> {
  const session = await SnowflakeSession.open(accessOf(login));
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Returns the destination for the contract. */
export function snowflakeUnderTest(emulator: SnowflakeEmulator): DestinationUnderTest {
  const run = async (statement: string): Promise<void> => {
    await withSession(emulator, (session) => session.run(statement));
  };
  return {
    destination: new SnowflakeDestination(accessOf(emulator)),
    read: (table) => withSession(emulator, (session) => readTable(session, table)),
    readVersions: async (table) =>
      (await withSession(emulator, (session) => readTable(session, table, true))) ?? [],
    dropTable: (table) =>
      withSession(emulator, async (session) => {
        const view = await findObject(session, table);
        const [rows] =
          /\b_datagrid_\w+/i.exec(view === null || view === 'table' ? '' : view.definition) ?? [];
        if (rows === undefined) throw new Error(`${table} is no view of rows.`);
        await session.run(`DROP VIEW ${quoted(table)}`);
        await session.run(`DROP TABLE ${quoted(rows)}`);
      }),
    createTable: (table) => run(`CREATE TABLE ${quoted(table)} AS SELECT 1 AS ID`),
    close: () => emulator.stop(),
  };
}

export async function startSnowflake(): Promise<DestinationUnderTest> {
  return snowflakeUnderTest(await SnowflakeEmulator.start());
}
