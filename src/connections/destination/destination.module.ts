import { Module } from '@nestjs/common';
import { ConnectionSecrets } from '../connection-secrets';
import { ClickhouseKind } from './clickhouse/clickhouse-kind';
import { DESTINATION_KINDS, DestinationKinds, type KindsByType } from './destination-kinds';
import { DuckdbKind } from './duckdb/duckdb-kind';
import { MysqlKind } from './mysql/mysql-kind';
import { ParquetKind } from './parquet/parquet-kind';
import { PostgresqlKind } from './postgresql/postgresql-kind';

@Module({
  providers: [
    ConnectionSecrets,
    DestinationKinds,
    PostgresqlKind,
    DuckdbKind,
    ClickhouseKind,
    MysqlKind,
    ParquetKind,
    {
      provide: DESTINATION_KINDS,
      useFactory: (
        postgresql: PostgresqlKind,
        duckdb: DuckdbKind,
        clickhouse: ClickhouseKind,
        mysql: MysqlKind,
        parquet: ParquetKind,
      ): KindsByType => ({
        postgresql,
        duckdb,
        clickhouse,
        mysql,
        parquet,
      }),
      inject: [PostgresqlKind, DuckdbKind, ClickhouseKind, MysqlKind, ParquetKind],
    },
  ],
  exports: [ConnectionSecrets, DestinationKinds],
})
export class DestinationModule {}
