import type { Destination } from '../../src/destinations/destination';
import { ClickhouseDestination } from '../../src/destinations/clickhouse/clickhouse-kind';
import type { ClickhouseAccess } from '../../src/destinations/clickhouse/clickhouse-session';
import { readClickhouseSettings } from '../../src/destinations/clickhouse/clickhouse-settings';
import { literal, quoted } from '../../src/destinations/clickhouse/clickhouse-sql';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import { ClickhouseEngine } from '../support/clickhouse/clickhouse-engine';
import { type DestinationUnderTest, JSON_COLUMNS, type ReadRow } from './contract-tables';

/** Where an engine is and who may use it. */
export type ClickhouseLogin = Pick<ClickhouseEngine, 'port' | 'database' | 'user' | 'password'>;

/** Returns how to connect to an engine. */
export function accessOf(
  engine: ClickhouseLogin,
  settings: Readonly<Record<string, unknown>> = {},
): ClickhouseAccess {
  const { port, database, user, password } = engine;
  const own = { host: '127.0.0.1', port, database, user, tls: false, ...settings };
  return {
    settings: readClickhouseSettings(own),
    password,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  };
}

/** Returns the rows of a table in the form of the contract. @param isRaw With all times. */
export async function readTable(
  engine: ClickhouseEngine,
  table: string,
  database = engine.database,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  const columns = await engine.query(`
    SELECT name, type FROM system.columns
    WHERE database = ${literal(database)} AND table = ${literal(table)} ORDER BY position`);
  if (columns.length === 0) return null;
  const types = new Map(columns.map(({ name, type }) => [String(name), String(type)]));
  const names = [...types.keys()].filter((name) => isRaw || name !== '_synced_at');
  const values = names.map((name) =>
    types.get(name)?.includes('Decimal') === true ? `toString(${quoted(name)})` : quoted(name),
  );
  const rows = await engine.query(`
    SELECT ${values.map((value, index) => `${value} AS v${String(index)}`).join(', ')}
    FROM ${quoted(database)}.${quoted(table)} ORDER BY ${quoted(names[0] ?? '')}
    SETTINGS output_format_json_quote_64bit_integers = 0`);
  return rows.map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const cell = cells[`v${String(index)}`];
      if (isRaw || name !== '_deleted_at') row[name] = valueOf(name, cell, types.get(name) ?? '');
      else if (cell !== null) row[name] = true;
    }
    return row;
  });
}

function valueOf(name: string, cell: unknown, type: string): unknown {
  if (typeof cell !== 'string') return cell;
  if (JSON_COLUMNS.includes(name)) return JSON.parse(cell);
  return type.includes('DateTime64') ? `${cell.replace(' ', 'T')}Z` : cell;
}

/** Returns the destination for a worker. */
export function destinationFor(login: ClickhouseLogin): Destination {
  return new ClickhouseDestination(accessOf(login));
}

/** Returns the destination for the contract. */
export function clickhouseUnderTest(engine: ClickhouseEngine): DestinationUnderTest {
  return {
    destination: destinationFor(engine),
    read: (table) => readTable(engine, table),
    readVersions: async (table) => (await readTable(engine, table, engine.database, true)) ?? [],
    dropTable: async (table) => {
      await engine.query(`DROP VIEW ${quoted(table)}`);
    },
    createTable: async (table) => {
      await engine.query(
        `CREATE TABLE ${quoted(table)} ENGINE = MergeTree ORDER BY id AS SELECT toInt64(1) AS id`,
      );
    },
    close: () => engine.close(),
  };
}

export async function startClickhouse(): Promise<DestinationUnderTest> {
  return clickhouseUnderTest(await ClickhouseEngine.start());
}
