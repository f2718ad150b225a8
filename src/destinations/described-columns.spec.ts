import { readConfig } from '../platform/config/app-config';
import { ClickhouseKind } from './clickhouse/clickhouse-kind';
import { DuckdbKind } from './duckdb/duckdb-kind';
import { IcebergKind } from './iceberg/iceberg-kind';
import { MysqlKind } from './mysql/mysql-kind';
import { ParquetKind } from './parquet/parquet-kind';
import { PostgresqlKind } from './postgresql/postgresql-kind';
import { SnowflakeKind } from './snowflake/snowflake-kind';

const config = readConfig({});

describe('a column of a destination', () => {
  it.each([
    [new PostgresqlKind(config), 'unitPrice', 'numeric', 'jsonb'],
    [new DuckdbKind(config), 'unitPrice', 'VARCHAR', 'JSON'],
    [new ClickhouseKind(config), 'unitPrice', 'Nullable(Decimal(76, 18))', 'Nullable(String)'],
    [new MysqlKind(config), 'unitPrice', 'decimal(56,18)', 'longtext'],
    [new ParquetKind(config), 'unitPrice', 'STRING', 'STRING'],
    [new IcebergKind(config), 'unitPrice', 'string', 'string'],
    [new SnowflakeKind(config), 'UNITPRICE', 'VARCHAR', 'VARCHAR'],
  ])(
    'has the name and the type that its readers see: $constructor.name',
    (kind, name, decimal, json) => {
      expect(kind.describeColumn({ name: 'unitPrice', type: 'decimal' })).toEqual({
        name,
        type: decimal,
      });
      expect(kind.describeColumn({ name: 'unitPrice', type: 'json' })).toEqual({
        name,
        type: json,
      });
    },
  );
});
