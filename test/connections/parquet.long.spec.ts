import { describeDestination } from './destination-contract';
import { startParquet } from './parquet-files';

describe('a connection to Parquet files in a directory', () => {
  describeDestination(startParquet);
});
