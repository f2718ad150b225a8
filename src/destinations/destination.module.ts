import { Module } from '@nestjs/common';
import { ConnectionSecrets } from './connection-secrets';
import { ClickhouseKind } from './clickhouse/clickhouse-kind';
import { DESTINATION_KINDS, DestinationKinds, type KindsByType } from './destination-kinds';
import { DuckdbKind } from './duckdb/duckdb-kind';
import { IcebergKind } from './iceberg/iceberg-kind';
import { MysqlKind } from './mysql/mysql-kind';
import { ParquetKind } from './parquet/parquet-kind';
import { PostgresqlKind } from './postgresql/postgresql-kind';
import { SnowflakeKind } from './snowflake/snowflake-kind';

@Module({
  providers: [
    ConnectionSecrets,
    DestinationKinds,
    PostgresqlKind,
    DuckdbKind,
    ClickhouseKind,
    MysqlKind,
    ParquetKind,
    IcebergKind,
    SnowflakeKind,
    {
      provide: DESTINATION_KINDS,
      useFactory: (
        postgresql: PostgresqlKind,
        duckdb: DuckdbKind,
        clickhouse: ClickhouseKind,
        mysql: MysqlKind,
        parquet: ParquetKind,
        iceberg: IcebergKind,
        snowflake: SnowflakeKind,
      ): KindsByType => ({
        postgresql,
        duckdb,
        clickhouse,
        mysql,
        parquet,
        iceberg,
        snowflake,
      }),
      inject: [
        PostgresqlKind,
        DuckdbKind,
        ClickhouseKind,
        MysqlKind,
        ParquetKind,
        IcebergKind,
        SnowflakeKind,
      ],
    },
  ],
  exports: [ConnectionSecrets, DestinationKinds],
})
export class DestinationModule {}
