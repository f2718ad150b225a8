import { describeDestination } from './destination-contract';
import { startDuckdb } from './duckdb-files';

describe('a DuckDB file as a destination', () => {
  describeDestination(startDuckdb);
});
