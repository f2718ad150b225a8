import { tmpdir } from 'node:os';
import type { FileLimits } from '../../src/destinations/files/segments';
import {
  type IcebergAccess,
  IcebergDestination,
} from '../../src/destinations/iceberg/iceberg-destination';
import { readIcebergSettings } from '../../src/destinations/iceberg/iceberg-settings';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import { IcebergServer } from '../support/iceberg/iceberg-server';
import { type DestinationUnderTest, JSON_COLUMNS, type ReadRow } from './contract-tables';

/** How workers of a test reach a server. */
export interface IcebergLogin {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secretAccessKey: string;
  /** Token or client secret. */
  readonly catalogSecret?: string;
}

export function accessOf({
  settings,
  secretAccessKey,
  catalogSecret,
}: IcebergLogin): IcebergAccess {
  return {
    settings: readIcebergSettings(settings),
    secret: { s3: secretAccessKey, catalog: catalogSecret },
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
    caCertificate: null,
  };
}

/** Returns a destination with the programs of a test. */
export function destinationFor(login: IcebergLogin, limits?: FileLimits): IcebergDestination {
  const engine = {
    workDirectory: tmpdir(),
    prefix: 'datagrid-iceberg-test-',
    ownPrefix: 'datagrid-iceberg-test-',
    memoryBytes: 256 * 1024 * 1024,
    requireRoom: () => Promise.resolve(),
    requireSpace: () => Promise.resolve(),
    maxSpillBytes: 1024 ** 3,
  };
  return new IcebergDestination(accessOf(login), engine, limits);
}

/**
 * Returns the rows of a table in the form of the contract, as pyiceberg reads them.
 * @param isRaw If true, with their times and without JSON values.
 */
export async function readTable(
  server: IcebergServer,
  table: string,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  const rows = (await server.ask('read', table)) as ReadRow[] | null;
  if (isRaw) return rows;
  const read = rows?.map((row) => {
    const values = Object.entries(row)
      .filter(([name]) => name !== '_synced_at' && name !== '_deleted_at')
      .map(([name, value]) => [
        name,
        JSON_COLUMNS.includes(name) && typeof value === 'string' ? JSON.parse(value) : value,
      ]);
    const isDeleted = (row['_deleted_at'] ?? null) !== null;
    return { ...Object.fromEntries(values), ...(isDeleted && { _deleted_at: true }) } as ReadRow;
  });
  return read?.sort((one, other) => Number(one['_id']) - Number(other['_id'])) ?? null;
}

export function icebergUnderTest(server: IcebergServer): DestinationUnderTest {
  const { settings, secretAccessKey } = server;
  return {
    destination: destinationFor({ settings, secretAccessKey }),
    dropsStates: true,
    read: (table) => readTable(server, table),
    readVersions: async (table) => (await readTable(server, table, true)) ?? [],
    dropTable: async (table) => {
      await server.ask('drop', table);
    },
    createTable: async (table) => {
      await server.ask('create', table);
    },
    close: () => server.close(),
  };
}

export async function startIceberg(): Promise<DestinationUnderTest> {
  return icebergUnderTest(await IcebergServer.start());
}
