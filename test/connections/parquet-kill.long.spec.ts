import { randomUUID } from 'node:crypto';
import { describeWithS3, S3Server } from '../support/s3/s3-server';
import { describeKills, type KilledDestination } from './kill-contract';
import { bucketUnderTest } from './parquet-bucket';
import { createDirectory, type DirectoryLogin, directoryUnderTest } from './parquet-files';

const WAYS: KilledDestination['ways'] = {
  'process that writes files': async (worker) => {
    for (const pid of await worker.children()) process.kill(pid, 'SIGKILL');
  },
};

describe('Parquet files in a directory whose worker or process is killed', () => {
  describeKills(
    async () => {
      const files = await createDirectory();
      const login: DirectoryLogin = { directory: files.directory, accountId: randomUUID() };
      return {
        under: directoryUnderTest(files, login),
        module: require.resolve('./parquet-files'),
        login,
        ways: WAYS,
      };
    },
    { canFreeze: true, kills: 8 },
  );
});

describeWithS3('Parquet files on S3 whose worker or process is killed', () => {
  describeKills(
    async () => {
      const server = await S3Server.start();
      const login = { settings: server.settings('killed'), secret: server.secretAccessKey };
      return {
        under: bucketUnderTest(server, 'killed'),
        module: require.resolve('./parquet-bucket'),
        login,
        ways: WAYS,
      };
    },
    // The server is slow.
    { canFreeze: true, kills: 6, rows: 800 },
  );
});
