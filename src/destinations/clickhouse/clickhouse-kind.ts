import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { hostResolver } from '../../platform/outbound/host-resolver';
import {
  DELETION_MODES,
  type Destination,
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
import type { Source } from '../source';
import { ClickhouseSource } from './clickhouse-source';
import { type ClickhouseAccess, ClickhouseSession } from './clickhouse-session';
import { type ClickhouseSettings, readClickhouseSettings } from './clickhouse-settings';
import { TYPES } from './clickhouse-sql';
import { testRights } from './clickhouse-states.repository';
import { ClickhouseWriter } from './clickhouse-table.repository';

/** A database of a ClickHouse server, or of ClickHouse Cloud. */
export class ClickhouseDestination implements Destination {
  constructor(private readonly access: ClickhouseAccess) {}

  async test(signal?: AbortSignal): Promise<void> {
    const session = new ClickhouseSession(this.access);
    onAbort(signal, () => void session.close());
    try {
      await testRights(session, this.access.settings.database);
    } finally {
      await session.close();
    }
  }

  open(table: TargetTable): Promise<TargetWriter> {
    const session = new ClickhouseSession(this.access);
    return Promise.resolve(new ClickhouseWriter(session, this.access.settings.database, table));
  }
}

/**
 * ClickHouse over its HTTP interface. Settings: those of `ClickhouseSettings`. The secret is the
 * password.
 */
@Injectable()
export class ClickhouseKind implements DestinationKind {
  readonly hasSecret = true;
  readonly deletionModes = DELETION_MODES;
  private readonly policy: AddressPolicy;
  private readonly resolve = hostResolver();

  constructor({ connectionAllowedPrivateRanges }: AppConfig) {
    this.policy = new AddressPolicy(
      connectionAllowedPrivateRanges,
      'CONNECTION_ALLOWED_PRIVATE_RANGES',
    );
  }

  readSettings(settings: DestinationSettings): DestinationSettings {
    return { ...readClickhouseSettings(settings) };
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type: TYPES[type] };
  }

  create(target: DestinationAccess): Destination {
    return new ClickhouseDestination(this.accessOf(target));
  }

  createSource(target: DestinationAccess): Source {
    return new ClickhouseSource(this.accessOf(target));
  }

  private accessOf({ settings, secret }: DestinationAccess): ClickhouseAccess {
    const { policy, resolve } = this;
    // They were checked before they were stored.
    const own = settings as unknown as ClickhouseSettings;
    return { settings: own, password: secret, policy, resolve };
  }
}
