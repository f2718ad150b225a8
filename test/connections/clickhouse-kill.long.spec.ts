import { ClickhouseEngine, describeWithClickhouse } from '../support/clickhouse/clickhouse-engine';
import { clickhouseUnderTest } from './clickhouse-server';
import { describeKills } from './kill-contract';

describeWithClickhouse('a ClickHouse destination whose worker or engine is killed', () => {
  describeKills(
    async () => {
      const engine = await ClickhouseEngine.start();
      const { user, password, database, port } = engine;
      return {
        under: clickhouseUnderTest(engine),
        module: require.resolve('./clickhouse-server'),
        login: { user, password, database, port },
        ways: { engine: () => engine.restart() },
        // Each view has a table, and each load one that has no view yet.
        countLoads: async () => {
          const [count] = await engine.query(String.raw`
            SELECT toInt32(countIf(name LIKE '\_datagrid\_%' AND name != '_datagrid_sync')
              - countIf(engine = 'View')) AS loads
            FROM system.tables WHERE database = currentDatabase()`);
          return Number(count?.['loads']);
        },
      };
    },
    { kills: 5, rows: 800, hasTransactions: false },
  );
});
