import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { hostResolver } from '../../platform/outbound/host-resolver';
import { TemporaryFiles } from '../account-files';
import { DELETION_MODES, type Destination, type TargetColumn } from '../destination';
import type {
  DescribedColumn,
  DestinationKind,
  DestinationSettings,
  DestinationAccess,
} from '../destination-kind';
import { temporaryOptions } from '../files/parquet-engine';
import { ICEBERG_TYPES } from './iceberg-columns';
import { IcebergDestination } from './iceberg-destination';
import { type IcebergSettings, readIcebergSecret, readIcebergSettings } from './iceberg-settings';

/** Each step adds a snapshot, and writes the files anew whose rows have changed. */
const MIN_INTERVAL_SECONDS = 300;
const CHANGES_PER_STEP = 50_000;

/**
 * Tables of Apache Iceberg in S3, through a REST catalog. Settings: those of `IcebergSettings`. The
 * secret is an `IcebergSecret`, as JSON.
 */
@Injectable()
export class IcebergKind implements DestinationKind {
  readonly hasSecret = true;
  readonly deletionModes = DELETION_MODES;
  readonly minIntervalSeconds = MIN_INTERVAL_SECONDS;
  readonly changesPerStep = CHANGES_PER_STEP;
  private readonly policy: AddressPolicy;
  private readonly resolve = hostResolver();

  constructor(private readonly config: AppConfig) {
    this.policy = new AddressPolicy(
      config.connectionAllowedPrivateRanges,
      'CONNECTION_ALLOWED_PRIVATE_RANGES',
    );
  }

  readSettings(settings: DestinationSettings): DestinationSettings {
    return { ...readIcebergSettings(settings) };
  }

  checkSecret(settings: DestinationSettings, secret: string | null): void {
    // They were checked before.
    readIcebergSecret(settings as unknown as IcebergSettings, secret);
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type: ICEBERG_TYPES[type] };
  }

  create({ accountId, settings: given, secret: text }: DestinationAccess): Destination {
    const { policy, resolve } = this;
    const { maxConnectionFilesBytes, maxDuckdbMemoryBytes } = this.config;
    const temporary = new TemporaryFiles(accountId, maxConnectionFilesBytes);
    const engine = temporaryOptions(temporary, maxDuckdbMemoryBytes);
    // They were checked before they were stored.
    const settings = given as unknown as IcebergSettings;
    const secret = readIcebergSecret(settings, text);
    const { caCertificate } = settings;
    return new IcebergDestination({ settings, secret, policy, resolve, caCertificate }, engine);
  }
}
