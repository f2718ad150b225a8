import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config/app-config';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { hostResolver } from '../../platform/outbound/host-resolver';
import {
  DELETION_MODES,
  type Destination,
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
import { testRights } from './mysql-catalog.repository';
import { type MysqlAccess, MysqlSession } from './mysql-session.repository';
import { type MysqlSettings, readMysqlSettings } from './mysql-settings';
import { typeNameOf } from './mysql-sql';
import { MysqlWriter } from './mysql-table.repository';

/** A database of a MySQL or MariaDB server. */
export class MysqlDestination implements Destination {
  constructor(private readonly access: MysqlAccess) {}

  async test(signal?: AbortSignal): Promise<void> {
    const session = await MysqlSession.open(this.access, signal);
    try {
      await testRights(session, `_datagrid_test_${randomUUID().replaceAll('-', '')}`);
    } finally {
      session.close();
    }
  }

  async open(table: TargetTable): Promise<TargetWriter> {
    return new MysqlWriter(await MysqlSession.open(this.access), table);
  }
}

/** MySQL 8 and MariaDB. Settings: those of `MysqlSettings`. The secret is the password. */
@Injectable()
export class MysqlKind implements DestinationKind {
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
    return { ...readMysqlSettings(settings) };
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type: typeNameOf(type) };
  }

  create({ settings, secret }: DestinationAccess): Destination {
    const { policy, resolve } = this;
    // They were checked before they were stored.
    const own = settings as unknown as MysqlSettings;
    return new MysqlDestination({ settings: own, password: secret, policy, resolve });
  }
}
