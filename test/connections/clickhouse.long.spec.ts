import { describeWithClickhouse } from '../support/clickhouse/clickhouse-engine';
import { startClickhouse } from './clickhouse-server';
import { describeDestination } from './destination-contract';

describeWithClickhouse('a ClickHouse destination', () => {
  describeDestination(startClickhouse);
});
