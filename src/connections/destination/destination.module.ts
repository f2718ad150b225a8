import { Module } from '@nestjs/common';
import { ConnectionSecrets } from '../connection-secrets';
import { DESTINATION_KINDS, DestinationKinds, type KindsByType } from './destination-kinds';
import { DuckdbKind } from './duckdb/duckdb-kind';
import { PostgresqlKind } from './postgresql/postgresql-kind';

@Module({
  providers: [
    ConnectionSecrets,
    DestinationKinds,
    PostgresqlKind,
    DuckdbKind,
    {
      provide: DESTINATION_KINDS,
      useFactory: (postgresql: PostgresqlKind, duckdb: DuckdbKind): KindsByType => ({
        postgresql,
        duckdb,
      }),
      inject: [PostgresqlKind, DuckdbKind],
    },
  ],
  exports: [ConnectionSecrets, DestinationKinds],
})
export class DestinationModule {}
