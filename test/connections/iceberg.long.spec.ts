import { describeWithIceberg } from '../support/iceberg/iceberg-server';
import { describeDestination } from './destination-contract';
import { startIceberg } from './iceberg-tables';

describeWithIceberg('an Iceberg destination', () => {
  describeDestination(startIceberg);
});
