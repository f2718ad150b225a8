import { startClickhouse } from './clickhouse-server';
import { describeDestination } from './destination-contract';

describe('a ClickHouse destination', () => {
  describeDestination(startClickhouse);
});
