import { randomUUID } from 'node:crypto';
import {
  type Destination,
  DestinationError,
  onAbort,
  type TargetTable,
  type TargetWriter,
} from '../destination';
import { VersionConflictError } from '../files/file-catalog';
import { FileTableWriter } from '../files/file-table-writer';
import type { EngineOptions } from '../files/parquet-engine';
import type { FileLimits } from '../files/segments';
import { IcebergCatalog } from './iceberg-catalog';
import { notIceberg } from './iceberg-error';
import { type CatalogAccess, CatalogHttp } from './iceberg-http';
import type { LoadedTable } from './iceberg-metadata';
import type { IcebergSecret, IcebergSettings } from './iceberg-settings';
import { RestCatalog } from './rest-catalog';
import { type BucketAccess, TableObjects } from './table-storage';

const DEFAULT_REGION = 'us-east-1';
const MAX_CONFIG_LENGTH = 16_384;
const SETTING_NAMES = { endpoint: 's3Endpoint', region: 's3Region' };

/** How to reach a catalog and the storage of its tables. */
export interface IcebergAccess extends CatalogAccess {
  readonly settings: IcebergSettings;
  readonly secret: IcebergSecret;
}

/** A namespace of an Apache Iceberg REST catalog. */
export class IcebergDestination implements Destination {
  constructor(
    private readonly access: IcebergAccess,
    private readonly engine: EngineOptions,
    private readonly limits?: FileLimits,
  ) {}

  /**
   * Creates a table, changes it, gives it another name and drops it. Proves that the catalog rejects a
   * commit whose base is not the last one.
   */
  async test(signal?: AbortSignal): Promise<void> {
    const id = randomUUID();
    const table = {
      id,
      name: `_datagrid_test_${id.replaceAll('-', '')}`,
      deletions: 'delete',
    } as const;
    const catalog = this.openCatalog(table);
    onAbort(signal, () => void catalog.close());
    const empty = { state: null, table: null, load: null };
    try {
      const first = await catalog.commit(null, { ...empty, token: 1 });
      let current = first;
      try {
        current = await catalog.commit(first, { ...empty, token: 2 });
        await requireConflict(catalog.commit(first, { ...empty, token: 1 }));
        await catalog.collect();
        current = await catalog.publish(current);
      } finally {
        await catalog.remove(current);
      }
    } finally {
      await catalog.close();
    }
  }

  open(table: TargetTable): Promise<TargetWriter> {
    const { engine, limits } = this;
    return Promise.resolve(new FileTableWriter(this.openCatalog(table), table, engine, limits));
  }

  private openCatalog(table: TargetTable): IcebergCatalog {
    const { settings, secret } = this.access;
    const catalog = new RestCatalog(settings, secret, new CatalogHttp(this.access));
    return new IcebergCatalog(
      catalog,
      table,
      (loaded) => new TableObjects(this.storageOf(loaded), loaded.metadata.location),
    );
  }

  /** Returns the settings of the storage: those of the connection, and others from the catalog. */
  private storageOf({ config }: LoadedTable): BucketAccess {
    const { settings, secret, policy, resolve, caCertificate } = this.access;
    const { s3Endpoint, s3Region, accessKeyId } = settings;
    const given = (name: string): string | null => {
      const value = config[name];
      return value === undefined || value.length > MAX_CONFIG_LENGTH ? null : value;
    };
    const own = { accessKeyId, secretAccessKey: secret.s3 ?? null, sessionToken: null };
    const credentials = accessKeyId === null ? readCredentials(given) : own;
    const { accessKeyId: id, secretAccessKey, sessionToken } = credentials;
    if (id === null || secretAccessKey === null) {
      throw new DestinationError(
        'configuration',
        'The catalog gives no credentials for the storage. Set `accessKeyId`, and the secret access key in `secret`.',
      );
    }
    return {
      endpoint: s3Endpoint ?? readEndpoint(given('s3.endpoint')),
      region: s3Region ?? readRegion(given('client.region') ?? given('s3.region')),
      accessKeyId: id,
      secretAccessKey,
      ...(sessionToken !== null && { sessionToken }),
      caCertificate,
      policy,
      resolve,
      settingNames: SETTING_NAMES,
    };
  }
}

async function requireConflict(commit: Promise<unknown>): Promise<void> {
  try {
    await commit;
  } catch (error) {
    if (error instanceof VersionConflictError) return;
    throw error;
  }
  throw new DestinationError(
    'configuration',
    'The catalog does not check the requirements of commits, so that rows could be lost. Choose another one.',
  );
}

/** Temporary credentials of the storage. `null`: the catalog gives none. */
interface StorageCredentials {
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
  readonly sessionToken: string | null;
}

/** @throws DestinationError if the headers of a request cannot hold them. */
function readCredentials(given: (name: string) => string | null): StorageCredentials {
  const read = (name: string): string | null => {
    const value = given(name);
    if (value !== null && !/^[\x21-\x7E]+$/.test(value)) throw notIceberg(`\`${name}\``);
    return value;
  };
  return {
    accessKeyId: read('s3.access-key-id'),
    secretAccessKey: read('s3.secret-access-key'),
    sessionToken: read('s3.session-token'),
  };
}

function readEndpoint(endpoint: string | null): string | null {
  return endpoint !== null && /^https?:\/\//.test(endpoint) && URL.canParse(endpoint)
    ? endpoint
    : null;
}

function readRegion(region: string | null): string {
  return region !== null && /^[a-z0-9-]{1,40}$/.test(region) ? region : DEFAULT_REGION;
}
