import { describeWithS3 } from '../support/s3/s3-server';
import { describeDestination } from './destination-contract';
import { startBucket } from './parquet-bucket';

describeWithS3('a connection to Parquet files on S3', () => {
  describeDestination(startBucket);
});
