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
import type { Source } from '../source';
import { type PostgresqlAccess, PostgresqlSession, quoted } from './postgresql-session.repository';
import { type PostgresqlSettings, readPostgresqlSettings } from './postgresql-settings';
import { PostgresqlSource } from './postgresql-source';
import { TYPES } from './postgresql-values';
import { createStates, PostgresqlWriter } from './postgresql-table.repository';

/** A schema of a PostgreSQL database. */
export class PostgresqlDestination implements Destination {
  constructor(private readonly access: PostgresqlAccess) {}

  async test(signal?: AbortSignal): Promise<void> {
    const { schema } = this.access.settings;
    const session = await PostgresqlSession.open(this.access, 'datagrid test', signal);
    try {
      await createStates(session, schema);
      const table = `${quoted(schema)}._datagrid_test`;
      await session.transaction('part', async () => {
        await session.run(`
          CREATE TABLE ${table} (id integer);
          INSERT INTO ${table} VALUES (1);
          CREATE TEMP TABLE _datagrid_stage (id integer) ON COMMIT DROP;
          DROP TABLE ${table}`);
      });
    } finally {
      session.close();
    }
  }

  async open(table: TargetTable): Promise<TargetWriter> {
    const name = `datagrid ${table.id}`;
    const session = await PostgresqlSession.open(this.access, name);
    return new PostgresqlWriter(session, this.access.settings.schema, table, name);
  }
}

/** PostgreSQL, and databases that speak its protocol and its SQL. */
@Injectable()
export class PostgresqlKind implements DestinationKind {
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
    return { ...readPostgresqlSettings(settings) };
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type: TYPES[type] };
  }

  create(target: DestinationAccess): Destination {
    return new PostgresqlDestination(this.accessOf(target));
  }

  createSource(target: DestinationAccess): Source {
    return new PostgresqlSource(this.accessOf(target));
  }

  private accessOf({ settings, secret }: DestinationAccess): PostgresqlAccess {
    const { policy, resolve } = this;
    // They were checked before they were stored.
    const own = settings as unknown as PostgresqlSettings;
    return { settings: own, password: secret, policy, resolve };
  }
}
