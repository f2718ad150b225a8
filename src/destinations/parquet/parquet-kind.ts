import { randomUUID } from 'node:crypto';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { hostResolver } from '../../platform/outbound/host-resolver';
import { AccountFiles, filesDirectoryOf, TemporaryFiles } from '../account-files';
import {
  DELETION_MODES,
  type Destination,
  DestinationError,
  onAbort,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../destination';
import type {
  DescribedColumn,
  DestinationKind,
  DestinationSettings,
  DestinationAccess,
} from '../destination-kind';
import { FileTableWriter } from '../files/file-table-writer';
import { temporaryOptions } from '../files/parquet-engine';
import { PARQUET_TYPES } from '../files/parquet-sql';
import { diskError } from '../files/parquet-error';
import { type S3Access, S3Client } from '../files/s3-client';
import { DirectoryStorage } from './directory-storage';
import { DocumentCatalog } from './document-catalog';
import {
  type DirectorySettings,
  type ParquetSettings,
  readParquetSettings,
  type S3Settings,
} from './parquet-settings';
import { S3Storage, testBucket } from './s3-storage';
import { pathNameOf } from './table-document';

/** Prefix of work directories, beside other files. No directory or file of a connection begins so. */
const WORK_PREFIX = '.work-';

/** Each sync writes the files anew that have a row that has changed, even if it is one of a million. */
const MIN_INTERVAL_SECONDS = 300;
const CHANGES_PER_STEP = 50_000;

const SETTING_NAMES = { endpoint: 'endpoint', region: 'region' };

/** Parquet files in a directory of this machine. */
export class DirectoryDestination implements Destination {
  constructor(
    /** Directory of the account. */
    private readonly account: string,
    private readonly settings: DirectorySettings,
    private readonly maxBytes: number,
    private readonly memoryBytes: number,
  ) {}

  /** Creates a file and removes it, with the directories that were missing. */
  async test(): Promise<void> {
    const path = join(this.account, this.settings.directory, `_test-${randomUUID()}`);
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, '');
      await rm(path);
    } catch (error) {
      throw diskError(error);
    } finally {
      // If they are empty.
      await rmdir(dirname(path)).catch(() => undefined);
      await rmdir(this.account).catch(() => undefined);
    }
  }

  async open(table: TargetTable): Promise<TargetWriter> {
    const { account, memoryBytes } = this;
    await mkdir(account, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw diskError(error);
    });
    const place = `${this.settings.directory}/${pathNameOf(table)}`;
    const storage = new DirectoryStorage(join(account, place), table.name, place);
    const files = new AccountFiles(account, this.maxBytes);
    return new FileTableWriter(new DocumentCatalog(storage, table), table, {
      workDirectory: account,
      prefix: WORK_PREFIX,
      ownPrefix: WORK_PREFIX,
      memoryBytes,
      maxSpillBytes: this.maxBytes,
      requireRoom: () => files.requireRoom(),
      // They are links.
      requireSpace: () => Promise.resolve(),
    });
  }
}

/** Parquet files in a bucket. */
export class S3Destination implements Destination {
  constructor(
    private readonly access: S3Access,
    private readonly prefix: string,
    private readonly memoryBytes: number,
    private readonly temporary: TemporaryFiles,
  ) {}

  async test(signal?: AbortSignal): Promise<void> {
    const client = new S3Client(this.access);
    onAbort(signal, () => void client.close());
    try {
      await testBucket(client, this.keyPrefix);
    } finally {
      await client.close();
    }
  }

  open(table: TargetTable): Promise<TargetWriter> {
    const { access, memoryBytes, temporary } = this;
    const prefix = `${this.keyPrefix}${pathNameOf(table)}/`;
    const place = `${access.bucket}/${prefix}`;
    const storage = new S3Storage(new S3Client(access), prefix, table.name, place);
    const options = temporaryOptions(temporary, memoryBytes);
    const writer = new FileTableWriter(new DocumentCatalog(storage, table), table, options);
    return Promise.resolve(writer);
  }

  private get keyPrefix(): string {
    return this.prefix === '' ? '' : `${this.prefix}/`;
  }
}

/**
 * Parquet files on S3, or in a directory of the operator: `<directory>/<account>/<name>`. Settings:
 * those of `ParquetSettings`. The secret is the secret access key.
 */
@Injectable()
export class ParquetKind implements DestinationKind {
  readonly hasSecret = true;
  readonly deletionModes = DELETION_MODES;
  readonly minIntervalSeconds = MIN_INTERVAL_SECONDS;
  readonly changesPerStep = CHANGES_PER_STEP;
  private readonly directory: string | undefined;
  private readonly policy: AddressPolicy;
  private readonly resolve = hostResolver();

  constructor(private readonly config: AppConfig) {
    this.directory = filesDirectoryOf(config);
    this.policy = new AddressPolicy(
      config.connectionAllowedPrivateRanges,
      'CONNECTION_ALLOWED_PRIVATE_RANGES',
    );
  }

  readSettings(settings: DestinationSettings): DestinationSettings {
    return { ...readParquetSettings(settings) };
  }

  usesAccountFiles(settings: DestinationSettings): boolean {
    return readParquetSettings(settings).storage === 'directory';
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type: PARQUET_TYPES[type] };
  }

  create({ accountId, settings, secret }: DestinationAccess): Destination {
    const own = this.readSettings(settings) as unknown as ParquetSettings;
    return own.storage === 'directory'
      ? this.createDirectory(accountId, own)
      : this.createBucket(accountId, own, secret);
  }

  private createDirectory(accountId: string, settings: DirectorySettings): Destination {
    if (this.directory === undefined) {
      throw new DestinationError(
        'configuration',
        'Files on the server are not enabled by the operator. The setting CONNECTION_FILES_DIR enables them.',
      );
    }
    const { maxConnectionFilesBytes, maxDuckdbMemoryBytes } = this.config;
    const account = join(this.directory, accountId);
    return new DirectoryDestination(
      account,
      settings,
      maxConnectionFilesBytes,
      maxDuckdbMemoryBytes,
    );
  }

  private createBucket(
    accountId: string,
    { prefix, ...settings }: S3Settings,
    secret: string | null,
  ): Destination {
    if (secret === null) {
      const message = 'The secret access key is missing. Send it as `secret`.';
      throw new DestinationError('configuration', message);
    }
    const { policy, resolve } = this;
    const access: S3Access = {
      ...settings,
      secretAccessKey: secret,
      policy,
      resolve,
      settingNames: SETTING_NAMES,
    };
    const { maxConnectionFilesBytes, maxDuckdbMemoryBytes } = this.config;
    const temporary = new TemporaryFiles(accountId, maxConnectionFilesBytes);
    return new S3Destination(access, prefix, maxDuckdbMemoryBytes, temporary);
  }
}
