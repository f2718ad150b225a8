import { Pool } from 'pg';
import { AccountService } from '../src/auth/account/account.service';
import { ApiKeyService } from '../src/auth/api-key/api-key.service';
import { createApplication } from '../src/create-application';
import { DatagridService } from '../src/datagrids/datagrid.service';
import { DatagridSchemaService } from '../src/datagrids/schema/datagrid-schema.service';
import { readConfig } from '../src/platform/config/app-config';
import { Database } from '../src/platform/database/database';
import { createLogger } from '../src/platform/logging/logger';
import { RowChangeRepository } from '../src/rows/write/row-change.repository';
import { RowDeleteRepository } from '../src/rows/write/row-delete.repository';
import { WorkspaceService } from '../src/workspaces/workspace.service';
import { COLUMNS, fill, INDEXED, randomTenth } from './data';
import { startServer, type ServerProcess } from './server-process';

const POOL_SIZE = 10;

/** Both servers on one database, with a filled datagrid. */
export interface Bench {
  readonly sql: Pool;
  readonly databaseUrl: string;
  readonly key: string;
  readonly datagridId: string;
  /** Others, without rows, to write into: the service's, and the bare server's. */
  readonly emptyDatagridId: string;
  readonly bareDatagridId: string;
  readonly bareSingleDatagridId: string;
  readonly service: ServerProcess;
  readonly bare: ServerProcess;
  deleteTenth(): Promise<void>;
  stop(): Promise<void>;
}

export async function prepare(databaseUrl: string, rows: number, log: string): Promise<Bench> {
  const config = readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' });
  const app = await createApplication(config, databaseUrl, createLogger(config));
  await app.init();
  const { accountId, userId } = await app.get(AccountService).create('Bench', 'bench@example.com');
  const { key } = await app.get(ApiKeyService).create(userId, 'bench', null);
  const workspace = await app.get(WorkspaceService).create(accountId, { name: 'Bench' });
  const datagrid = async (name: string, indexed?: string): Promise<string> => {
    const columns = COLUMNS.map((column) => ({
      ...column,
      indexed: column.key === indexed,
      ...('options' in column && { options: { choices: [...column.options.choices] } }),
    })) as never;
    const made = await app.get(DatagridService).create(accountId, workspace.id, { name, columns });
    return made.data.id;
  };
  const datagridId = await datagrid('Filled', INDEXED);
  const emptyDatagridId = await datagrid('Empty');
  const bareDatagridId = await datagrid('Bare, by batches');
  const bareSingleDatagridId = await datagrid('Bare, by single rows');
  const sql = new Pool({ connectionString: databaseUrl, max: 2 });
  await fill(sql, datagridId, rows);

  const env = {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    RATE_LIMIT_REQUESTS: '1000000000',
    BENCH_LOG: log,
  };
  const bare = await startServer('bare-server', env);
  const service = await startServer('service-process', env);

  async function deleteTenth(): Promise<void> {
    const schema = await app.get(DatagridSchemaService).get(accountId, datagridId);
    for (const ids of randomTenth(rows)) {
      await app.get(Database).transaction(async () => {
        const revision = await app.get(RowChangeRepository).lock(schema);
        await app.get(RowDeleteRepository).delete(schema, ids, revision ?? 0);
      });
    }
  }

  async function stop(): Promise<void> {
    await Promise.all([service.stop(), bare.stop(), sql.end()]);
    await app.close();
  }

  const datagrids = { datagridId, emptyDatagridId, bareDatagridId, bareSingleDatagridId };
  return { sql, databaseUrl, key, ...datagrids, service, bare, deleteTenth, stop };
}
