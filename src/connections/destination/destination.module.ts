import { Module } from '@nestjs/common';
import { ConnectionSecrets } from '../connection-secrets';
import { DESTINATION_KINDS, DestinationKinds, type KindsByType } from './destination-kinds';
import { DuckdbKind } from './duckdb/duckdb-kind';
import { MysqlKind } from './mysql/mysql-kind';
import { PostgresqlKind } from './postgresql/postgresql-kind';

@Module({
  providers: [
    ConnectionSecrets,
    DestinationKinds,
    PostgresqlKind,
    DuckdbKind,
    MysqlKind,
    {
      provide: DESTINATION_KINDS,
      useFactory: (
        postgresql: PostgresqlKind,
        duckdb: DuckdbKind,
        mysql: MysqlKind,
      ): KindsByType => ({
        postgresql,
        duckdb,
        mysql,
      }),
      inject: [PostgresqlKind, DuckdbKind, MysqlKind],
    },
  ],
  exports: [ConnectionSecrets, DestinationKinds],
})
export class DestinationModule {}
