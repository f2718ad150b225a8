import { type Client, type CustomTypesConfig } from 'pg';
import type { Destination } from '../../src/destinations/destination';
import { PostgresqlDestination } from '../../src/destinations/postgresql/postgresql-kind';
import type { PostgresqlAccess } from '../../src/destinations/postgresql/postgresql-session.repository';
import { readPostgresqlSettings } from '../../src/destinations/postgresql/postgresql-settings';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import { withClient } from '../support/database-url';
import { TcpBridge } from '../support/tcp-bridge';
import { createTestDatabase } from '../support/test-database';
import type { DestinationUnderTest, ReadRow } from './contract-tables';

export const SCHEMA = 'Warehouse "1"';
/** Quotes the name of a table of the schema. */
export const quoted = (name: string): string =>
  `"${SCHEMA.replaceAll('"', '""')}"."${name.replaceAll('"', '""')}"`;

/** Types whose values `pg` would change. */
const TEXTS = new Set([1082, 1184, 1700]);
const NUMBERS = new Set([20]);

export const NO_TLS = { tls: false, schema: SCHEMA };

/** Where a server of a test is, as of a `TcpBridge`. */
export type PostgresqlLogin = Pick<TcpBridge, 'port' | 'target'>;

/** How the service connects to a server of a test. */
export function accessOf(
  { port, target }: PostgresqlLogin,
  settings: Readonly<Record<string, unknown>> = NO_TLS,
): PostgresqlAccess {
  const { user, database, password } = target;
  const own = { host: '127.0.0.1', port, database, user, ...settings };
  return {
    settings: readPostgresqlSettings(own),
    password,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  };
}

/** Returns the destination for a worker. */
export function destinationFor(login: PostgresqlLogin): Destination {
  return new PostgresqlDestination(accessOf(login));
}

/** Gives values in the form of the contract, apart from times. */
const VALUES: CustomTypesConfig = {
  getTypeParser: (oid: number) => (text: string) => {
    if (TEXTS.has(oid)) return text;
    if (oid === 16) return text === 't';
    if (oid === 3802) return JSON.parse(text) as unknown;
    return NUMBERS.has(oid) || oid === 701 ? Number(text) : text;
  },
};

/** Returns the rows of a table in the form of the contract. */
export async function readTable(reader: Client, table: string): Promise<readonly ReadRow[] | null> {
  const { rows: found } = await reader.query<{ oid: string | null }>(
    'SELECT to_regclass($1)::text AS oid',
    [quoted(table)],
  );
  if (found[0]?.oid == null) return null;
  await reader.query("SET TimeZone = 'UTC'");
  const text = `SELECT * FROM ${quoted(table)} ORDER BY 1`;
  const { rows } = await reader.query<ReadRow>({ text, types: VALUES });
  return rows.map(({ _deleted_at: deletedAt = null, ...row }) => {
    const own = Object.entries(row).filter(([column]) => column !== '_synced_at');
    const values = own.map(([column, value]) => [column, timeOf(value)]);
    return { ...Object.fromEntries(values), ...(deletedAt !== null && { _deleted_at: true }) };
  });
}

/** Returns the rows of a table with all of its columns. */
export async function readVersions(reader: Client, table: string): Promise<readonly ReadRow[]> {
  await reader.query("SET TimeZone = 'UTC'");
  const { rows } = await reader.query<ReadRow>({
    text: `SELECT * FROM ${quoted(table)}`,
    types: VALUES,
  });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, timeOf(value)])),
  );
}

/** Prints a time of PostgreSQL as ISO text. Other values stay. */
function timeOf(value: unknown): unknown {
  const [, day, time, fraction = ''] =
    typeof value === 'string'
      ? (/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?\+00$/.exec(value) ?? [])
      : [];
  return day === undefined ? value : `${day}T${time ?? ''}.${fraction.slice(1).padEnd(3, '0')}Z`;
}

/** Returns the destination for the contract. */
export async function postgresqlUnderTest(
  url: string,
  remove: () => Promise<void>,
): Promise<DestinationUnderTest & { readonly bridge: TcpBridge }> {
  const bridge = await TcpBridge.start(url);
  // Each time anew, as the server can be killed in between.
  const run = async (statement: string): Promise<void> => {
    await withClient(url, (client) => client.query(statement));
  };
  return {
    destination: destinationFor(bridge),
    bridge,
    read: (table) => withClient(url, (client) => readTable(client, table)),
    readVersions: (table) => withClient(url, (client) => readVersions(client, table)),
    dropTable: (table) => run(`DROP TABLE ${quoted(table)}`),
    createTable: (table) => run(`CREATE TABLE ${quoted(table)} AS SELECT 1::bigint AS id`),
    close: async () => {
      await bridge.close();
      await remove();
    },
  };
}

/** Starts the destination for the contract. */
export async function startPostgresql(): Promise<DestinationUnderTest> {
  const database = await createTestDatabase();
  return postgresqlUnderTest(database.url, () => database.drop());
}
