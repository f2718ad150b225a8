import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Destination } from '../../src/destinations/destination';
import { ParquetKind } from '../../src/destinations/parquet/parquet-kind';
import { pathNameOf } from '../../src/destinations/parquet/table-document';
import { readConfig } from '../../src/platform/config/app-config';
import { S3Server } from '../support/s3/s3-server';
import type { DestinationUnderTest, ReadRow } from './contract-tables';
import { readParquetTable, writeOtherFile } from './parquet-files';

/** Returns the kind that may connect to this machine. */
export function localKind(settings: Readonly<Record<string, string>> = {}): ParquetKind {
  return new ParquetKind(
    readConfig({ CONNECTION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8', ...settings }),
  );
}

/** What a connection to a bucket needs. It can be sent. */
export interface BucketLogin {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secret: string;
}

/** Returns the destination of a bucket. @param others Settings of the service. */
export function destinationFor(
  { settings, secret }: BucketLogin,
  { accountId = randomUUID(), ...others }: Readonly<Record<string, string>> = {},
): Destination {
  const kind = localKind(others);
  return kind.create({
    accountId,
    connectionId: randomUUID(),
    settings: kind.readSettings(settings),
    secret,
  });
}

/** Returns the rows of a table in a bucket, of which a copy is read. */
async function readTable(
  server: S3Server,
  prefix: string,
  isRaw = false,
): Promise<readonly ReadRow[] | null> {
  const keys = await server.list(prefix);
  if (keys.length === 0) return null;
  const directory = await mkdtemp(join(tmpdir(), 'parquet-bucket-'));
  try {
    for (const key of keys) {
      const path = join(directory, key);
      const content = await server.read(key);
      await mkdir(dirname(path), { recursive: true });
      if (content) await writeFile(path, content);
    }
    return await readParquetTable(join(directory, prefix), isRaw);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the destination for the contract. */
export function bucketUnderTest(server: S3Server, prefix: string): DestinationUnderTest {
  const pathOf = (table: string): string => `${prefix}/${pathNameOf({ name: table })}`;
  const login = { settings: server.settings(prefix), secret: server.secretAccessKey };
  return {
    destination: destinationFor(login),
    read: (table) => readTable(server, pathOf(table)),
    readVersions: async (table) => (await readTable(server, pathOf(table), true)) ?? [],
    dropTable: async (table) => {
      const keys = await server.list(`${pathOf(table)}/`);
      for (const key of keys) if (key.endsWith('.parquet')) await server.delete(key);
    },
    createTable: async (table) => {
      const directory = await mkdtemp(join(tmpdir(), 'parquet-other-'));
      try {
        const content = await readFile(await writeOtherFile(directory));
        await server.write(`${pathOf(table)}/other.parquet`, content);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    close: () => server.close(),
  };
}

/** Starts a server for the contract. */
export async function startBucket(): Promise<DestinationUnderTest> {
  return bucketUnderTest(await S3Server.start(), 'copies/datagrid');
}
