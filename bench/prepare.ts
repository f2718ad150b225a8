import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { Pool } from 'pg';
import { AccountService } from '../src/auth/account.service';
import { ApiKeyService } from '../src/auth/api-key/api-key.service';
import { createApplication } from '../src/create-application';
import { DatagridService } from '../src/datagrids/datagrid.service';
import { authorOf } from '../src/datagrids/change-log/change-log-sql';
import { DatagridSchemaService } from '../src/datagrids/schema/datagrid-schema.service';
import { readConfig } from '../src/platform/config/app-config';
import { Database } from '../src/platform/database/database';
import { createLogger } from '../src/platform/logging/logger';
import { RowChangeRepository } from '../src/rows/write/row-change.repository';
import { RowDeleteRepository } from '../src/rows/write/row-delete.repository';
import { WorkspaceService } from '../src/workspaces/workspace.service';
import { COLUMNS, fill, INDEXED, randomTenth, settle } from './data';
import { startServer, type ServerProcess } from './server-process';

const POOL_SIZE = 10;

export type Settings = Readonly<Record<string, string>>;

export interface FilledDatagrid {
  readonly id: string;
  /** Number of rows before any were deleted. */
  readonly rows: number;
}

/** The service and the bare server on one database with filled datagrids. */
export interface Bench {
  /** The service in this process, for its parts. It serves no requests. */
  readonly app: INestApplication;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly sql: Pool;
  readonly databaseUrl: string;
  readonly key: string;
  /** One datagrid of each size, smallest first. */
  readonly filled: readonly FilledDatagrid[];
  /** The datagrid of the middle size, for measures at one size. */
  readonly middle: FilledDatagrid;
  /** Empty datagrids for writes, one of the service and two of the bare server. */
  readonly emptyDatagridId: string;
  readonly bareDatagridId: string;
  readonly bareSingleDatagridId: string;
  readonly service: ServerProcess;
  readonly bare: ServerProcess;
  createDatagrid(name: string): Promise<string>;
  /**
   * Starts another process of the service. The caller stops it.
   * @param directory The `dist` directory of another build.
   * @param settings Settings besides those of the benchmark.
   */
  startService(directory?: string, settings?: Settings): Promise<ServerProcess>;
  /** Starts another process of the bare server. The caller stops it. */
  startBare(settings: Settings): Promise<ServerProcess>;
  /** Deletes a random tenth of the rows of every size. */
  deleteTenth(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates and fills the datagrids, and starts both servers. @param folder Folder of the logs. */
export async function prepare(
  databaseUrl: string,
  sizes: readonly number[],
  folder: string,
): Promise<Bench> {
  const config = readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' });
  const app = await createApplication(config, databaseUrl, createLogger(config));
  await app.init();
  const { accountId, userId } = await app.get(AccountService).create('Bench', 'bench@example.com');
  const { key } = await app.get(ApiKeyService).create(userId, 'bench', null, 'operator');
  const { data: workspace } = await app
    .get(WorkspaceService)
    .create(accountId, { name: 'Bench' }, 'operator');
  const createDatagrid = async (name: string, indexed?: string): Promise<string> => {
    const columns = COLUMNS.map((column) => ({
      ...column,
      indexed: column.key === indexed,
      ...('options' in column && { options: { choices: [...column.options.choices] } }),
    })) as never;
    const made = await app
      .get(DatagridService)
      .create(accountId, workspace.id, { name, columns }, 'operator');
    return made.data.id;
  };
  const sql = new Pool({ connectionString: databaseUrl, max: 2 });
  const filled: FilledDatagrid[] = [];
  for (const rows of [...sizes].sort((a, b) => a - b)) {
    const id = await createDatagrid(`${String(rows)} rows`, INDEXED);
    await fill(sql, id, rows);
    filled.push({ id, rows });
  }
  const middle = filled[Math.floor(filled.length / 2)];
  if (!middle) throw new Error('No size was given.');
  const datagrids = {
    emptyDatagridId: await createDatagrid('Empty'),
    bareDatagridId: await createDatagrid('Bare, by batches'),
    bareSingleDatagridId: await createDatagrid('Bare, by single rows'),
  };
  await settle(sql);

  const env = {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    RATE_LIMIT_REQUESTS: '1000000000',
    BENCH_LOG: join(folder, 'service.log'),
  };
  const startService = (directory?: string, settings: Settings = {}): Promise<ServerProcess> =>
    startServer('service-process', { ...env, ...settings }, directory);
  const startBare = (settings: Settings = {}): Promise<ServerProcess> =>
    startServer('bare-server', { ...env, ...settings });
  const bare = await startBare();
  const service = await startService();

  async function deleteTenth(): Promise<void> {
    for (const { id, rows } of filled) {
      const schema = await app.get(DatagridSchemaService).get(accountId, id);
      for (const ids of randomTenth(rows)) {
        await app.get(Database).transaction(async () => {
          const write = await app.get(RowChangeRepository).lock(schema, authorOf('service'));
          if (!write) throw new Error('The columns have changed.');
          await app.get(RowDeleteRepository).delete(schema, ids, write);
        });
      }
    }
    await settle(sql);
  }

  async function stop(): Promise<void> {
    await Promise.all([service.stop(), bare.stop(), sql.end()]);
    await app.close();
  }

  const servers = { service, bare, startService, startBare, stop };
  return {
    app,
    accountId,
    workspaceId: workspace.id,
    sql,
    databaseUrl,
    key,
    filled,
    middle,
    ...datagrids,
    createDatagrid,
    deleteTenth,
    ...servers,
  };
}
