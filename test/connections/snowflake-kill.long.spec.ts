import { describeWithSnowflake, SnowflakeEmulator } from '../support/snowflake/snowflake-emulator';
import { describeKills } from './kill-contract';
import { snowflakeUnderTest, withSession } from './snowflake-server';

/** Tables that no state names as those with its rows. */
const OTHERS = `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
  WHERE TABLE_SCHEMA = CURRENT_SCHEMA()
    AND TABLE_NAME NOT IN (SELECT COALESCE(DATA_TABLE, '') FROM "_DATAGRID_SYNC")`;
const ROWS_TABLE = /^_DATAGRID_[\dA-F]{32}_\d+_\d+$/;

describeWithSnowflake('a Snowflake destination whose worker is killed', () => {
  describeKills(
    async () => {
      const emulator = await SnowflakeEmulator.start();
      const { port, user, database, schema, privateKey } = emulator;
      return {
        under: snowflakeUnderTest(emulator),
        module: require.resolve('./snowflake-server'),
        login: { port, user, database, schema, privateKey },
        countLoads: () =>
          withSession(emulator, async (session) => {
            const others = await session.query(OTHERS);
            return others.filter(([name]) => ROWS_TABLE.test(name ?? '')).length;
          }),
      };
    },
    { kills: 5, rows: 2_000, modes: ['delete', 'mark'] },
  );
});
