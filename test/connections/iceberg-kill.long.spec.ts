import { describeWithIceberg, IcebergServer } from '../support/iceberg/iceberg-server';
import { icebergUnderTest, type IcebergLogin } from './iceberg-tables';
import { describeKills } from './kill-contract';

describeWithIceberg('an Iceberg table whose worker is killed', () => {
  describeKills(
    async () => {
      const server = await IcebergServer.start();
      const { settings, secretAccessKey } = server;
      const login: IcebergLogin = { settings, secretAccessKey };
      return {
        under: icebergUnderTest(server),
        module: require.resolve('./iceberg-tables'),
        login,
      };
    },
    { kills: 5, rows: 800, canFreeze: true },
  );
});
