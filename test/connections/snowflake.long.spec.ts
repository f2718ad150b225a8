import { describeWithSnowflake } from '../support/snowflake/snowflake-emulator';
import { describeDestination } from './destination-contract';
import { startSnowflake } from './snowflake-server';

describeWithSnowflake('a Snowflake destination', () => {
  describeDestination(startSnowflake);
});
