import type { Connection, FieldPacket, RowDataPacket } from 'mysql2/promise';
import type { Destination } from '../../src/destinations/destination';
import { MysqlDestination } from '../../src/destinations/mysql/mysql-kind';
import type { MysqlAccess } from '../../src/destinations/mysql/mysql-session.repository';
import { readMysqlSettings } from '../../src/destinations/mysql/mysql-settings';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import { type MariadbLogin, MariadbServer } from '../support/mariadb-server';
import type { DestinationUnderTest, ReadRow } from './contract-tables';

/** Numbers of types of columns. */
const [TINYINT, DATETIME] = [1, 12];

export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** How the service connects to a server of a test. */
export function accessOf(
  { user, password, database, port }: MariadbLogin,
  settings: Readonly<Record<string, unknown>> = {},
): MysqlAccess {
  const own = { host: '127.0.0.1', port, database, user, tls: false, ...settings };
  return {
    settings: readMysqlSettings(own),
    password,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  };
}

/** Returns the rows of a table as `DestinationUnderTest.read` does. @param isRaw With all times. */
export async function readTable(
  reader: Connection,
  table: string,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  const [found] = await reader.query<RowDataPacket[]>(
    'SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
    [table],
  );
  if (found.length === 0) return null;
  const [rows, fields] = await reader.query<RowDataPacket[]>(
    `SELECT * FROM ${quoted(table)} ORDER BY 1`,
  );
  return rows.map((row) => {
    const values = fields
      .filter(({ name }) => isRaw || (name !== '_synced_at' && name !== '_deleted_at'))
      .map((field) => [field.name, valueOf(field, row[field.name])]);
    const isDeleted = !isRaw && (row['_deleted_at'] ?? null) !== null;
    return { ...Object.fromEntries(values), ...(isDeleted && { _deleted_at: true }) };
  });
}

function valueOf({ name, type }: FieldPacket, value: unknown): unknown {
  if (value === null) return null;
  if (type === TINYINT) return value === 1;
  if (type === DATETIME && typeof value === 'string') return `${value.replace(' ', 'T')}Z`;
  return name === 'tags' && typeof value === 'string' ? JSON.parse(value) : value;
}

/** Returns the destination for a worker. */
export function destinationFor(login: MariadbLogin): Destination {
  return new MysqlDestination(accessOf(login));
}

/** Returns the destination for the contract. */
export function mysqlUnderTest(server: MariadbServer): DestinationUnderTest {
  // Each time anew, as the server can be killed in between.
  const withReader = async <T>(work: (reader: Connection) => Promise<T>): Promise<T> => {
    const reader = await server.connect();
    try {
      return await work(reader);
    } finally {
      reader.destroy();
    }
  };
  const run = async (statement: string): Promise<void> => {
    await withReader((reader) => reader.query(statement));
  };
  return {
    destination: destinationFor(server),
    read: (table) => withReader((reader) => readTable(reader, table)),
    readVersions: async (table) =>
      (await withReader((reader) => readTable(reader, table, true))) ?? [],
    dropTable: (table) => run(`DROP TABLE ${quoted(table)}`),
    createTable: (table) => run(`CREATE TABLE ${quoted(table)} AS SELECT CAST(1 AS INTEGER) AS id`),
    close: () => server.remove(),
  };
}

export async function startMysql(options: readonly string[] = []): Promise<DestinationUnderTest> {
  return mysqlUnderTest(await MariadbServer.start(options));
}
