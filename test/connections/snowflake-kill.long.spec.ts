import { describeWithSnowflake, SnowflakeEmulator } from '../support/snowflake/snowflake-emulator';
import { describeKills } from './kill-contract';
import type { KilledWorker } from './killed-worker';
import { SnowflakeProxy } from './snowflake-proxy';
import { snowflakeUnderTest, withSession } from './snowflake-server';

/** Tables that no state names as those with its rows. */
const OTHERS = `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
  WHERE TABLE_SCHEMA = CURRENT_SCHEMA()
    AND TABLE_NAME NOT IN (SELECT COALESCE(DATA_TABLE, '') FROM "_DATAGRID_SYNC")`;
const ROWS_TABLE = /^_DATAGRID_[\dA-F]{32}_\d+_\d+$/;

const COMMIT = /^COMMIT$/;

/** Kills that come right before the next commit, or after it and before its response. */
function waysOf(proxy: SnowflakeProxy): Record<string, (worker: KilledWorker) => Promise<void>> {
  return {
    beforeCommit: async (worker) => {
      const held = proxy.hold(COMMIT, 'statement');
      await held.reached;
      await worker.kill();
      held.drop();
    },
    afterCommit: async (worker) => {
      const held = proxy.hold(COMMIT, 'response');
      await held.reached;
      await worker.kill();
      held.drop();
    },
    responseLost: async () => {
      const held = proxy.hold(COMMIT, 'response');
      await held.reached;
      held.drop();
    },
  };
}

describeWithSnowflake('a Snowflake destination whose worker is killed', () => {
  describeKills(
    async () => {
      const emulator = await SnowflakeEmulator.start();
      const proxy = await SnowflakeProxy.start(emulator.port);
      const { user, database, schema, privateKey } = emulator;
      const under = snowflakeUnderTest(emulator);
      return {
        under: {
          ...under,
          close: async () => {
            await proxy.close();
            await under.close();
          },
        },
        module: require.resolve('./snowflake-server'),
        login: { port: proxy.port, user, database, schema, privateKey },
        ways: waysOf(proxy),
        countLoads: () =>
          withSession(emulator, async (session) => {
            const others = await session.query(OTHERS);
            return others.filter(([name]) => ROWS_TABLE.test(name ?? '')).length;
          }),
      };
    },
    { kills: 6, rows: 2_000, canFreeze: true },
  );
});
