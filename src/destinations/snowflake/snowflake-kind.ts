import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { hostResolver } from '../../platform/outbound/host-resolver';
import type { Destination, TargetColumn, TargetTable, TargetWriter } from '../destination';
import type {
  DescribedColumn,
  DestinationKind,
  DestinationSettings,
  DestinationAccess,
} from '../destination-kind';
import { testRights } from './snowflake-catalog.repository';
import { type SnowflakeAccess, SnowflakeSession } from './snowflake-session.repository';
import { readSnowflakeSettings, type SnowflakeSettings } from './snowflake-settings';
import { DATA_TYPES, nameOf } from './snowflake-sql';
import { SnowflakeWriter } from './snowflake-table.repository';

/** A schema of a Snowflake account. */
export class SnowflakeDestination implements Destination {
  constructor(private readonly access: SnowflakeAccess) {}

  async test(signal?: AbortSignal): Promise<void> {
    const session = await SnowflakeSession.open(this.access, signal);
    try {
      await testRights(session, `_datagrid_test_${randomUUID().replaceAll('-', '')}`);
    } finally {
      await session.close();
    }
  }

  async open(table: TargetTable): Promise<TargetWriter> {
    return new SnowflakeWriter(await SnowflakeSession.open(this.access), table);
  }
}

/**
 * Snowflake. Settings: those of `SnowflakeSettings`. The secret is a private key, a token or a
 * password.
 */
@Injectable()
export class SnowflakeKind implements DestinationKind {
  readonly hasSecret = true;
  readonly deletionModes = ['delete', 'mark', 'history'] as const;
  private readonly policy: AddressPolicy;
  private readonly resolve = hostResolver();

  constructor({ connectionAllowedPrivateRanges }: AppConfig) {
    this.policy = new AddressPolicy(
      connectionAllowedPrivateRanges,
      'CONNECTION_ALLOWED_PRIVATE_RANGES',
    );
  }

  readSettings(settings: DestinationSettings): DestinationSettings {
    return { ...readSnowflakeSettings(settings) };
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name: nameOf(name), type: DATA_TYPES[type] };
  }

  create({ settings, secret }: DestinationAccess): Destination {
    const { policy, resolve } = this;
    // They were checked before they were stored.
    const own = settings as unknown as SnowflakeSettings;
    return new SnowflakeDestination({ settings: own, secret, policy, resolve });
  }
}
