import { randomUUID } from 'node:crypto';
import { createFiles, duckdbUnderTest, type FileLogin } from './duckdb-files';
import { describeKills } from './kill-contract';

describe('a DuckDB file whose worker or process is killed', () => {
  describeKills(async () => {
    const files = await createFiles();
    const login: FileLogin = { directory: files.directory, accountId: randomUUID() };
    return {
      under: duckdbUnderTest(files, login),
      module: require.resolve('./duckdb-files'),
      login,
      ways: {
        'process of the file': async (worker) => {
          for (const pid of await worker.children()) process.kill(pid, 'SIGKILL');
        },
      },
    };
  });
});
