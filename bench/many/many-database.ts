import { Client, Pool } from 'pg';
import { AccountService } from '../../src/auth/account.service';
import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { newId } from '../../src/common/text/id';
import { createApplication } from '../../src/create-application';
import { DatagridService } from '../../src/datagrids/datagrid.service';
import { readConfig } from '../../src/platform/config/app-config';
import { createLogger } from '../../src/platform/logging/logger';
import { createStatement } from '../../src/rows/write/row-create.repository';
import { WorkspaceService } from '../../src/workspaces/workspace.service';
import { onDatabase } from '../connections/warehouse';
import type { Bench } from '../prepare';
import {
  arrivals,
  type Arrival,
  batchesOf,
  indexedParameters,
  MANY_COLUMNS,
  type RowBatch,
  VARIANTS,
} from './shape';

/** Sessions that fill a database. Each creates the next batch. */
const WRITERS = 2;
/** Datagrids that one statement creates. */
const CREATED_TOGETHER = 1_000;

/** Number of datagrids and of rows in each. */
export interface Extent {
  readonly datagrids: number;
  readonly rows: number;
}

/** A database of its own with many equal datagrids. */
export interface ManyDatabase extends Extent {
  readonly name: string;
  readonly url: string;
  readonly sql: Pool;
  readonly key: string;
  readonly datagridIds: readonly string[];
  /** Version of the columns of each datagrid. */
  readonly schemaVersion: number;
}

/** Creates a database with empty datagrids of the columns of `MANY_COLUMNS`, all indexed alike. */
export async function createDatabase(
  bench: Bench,
  name: string,
  { datagrids, rows }: Extent,
): Promise<ManyDatabase> {
  await bench.sql.query(`CREATE DATABASE ${name}`);
  const url = onDatabase(bench.databaseUrl, name);
  const { key, templateId } = await createTemplate(url);
  const sql = new Pool({ connectionString: url, max: WRITERS });
  const datagridIds = Array.from({ length: datagrids }, () => newId());
  for (let from = 0; from < datagrids; from += CREATED_TOGETHER) {
    await copyTemplate(sql, templateId, datagridIds.slice(from, from + CREATED_TOGETHER), from);
  }
  const counter = 'SELECT schema_version AS version FROM datagrid_counters WHERE datagrid_id = $1';
  const { rows: found } = await sql.query<{ version: number }>(counter, [templateId]);
  const schemaVersion = found[0]?.version ?? 0;
  return { name, url, sql, key, datagridIds, schemaVersion, datagrids, rows };
}

async function createTemplate(url: string): Promise<{ key: string; templateId: string }> {
  const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
  const app = await createApplication(config, url, createLogger(config));
  await app.init();
  try {
    const { accountId, userId } = await app.get(AccountService).create('Many', 'many@example.com');
    const { key } = await app.get(ApiKeyService).create(userId, 'bench', null, 'operator');
    const { data } = await app
      .get(WorkspaceService)
      .create(accountId, { name: 'Many' }, 'operator');
    const created = await app
      .get(DatagridService)
      .create(accountId, data.id, { name: 'Template', columns: MANY_COLUMNS } as never, 'operator');
    return { key, templateId: created.data.id };
  } finally {
    await app.close();
  }
}

/** Copies what the service stored for the template, so that other datagrids are like those it creates. */
async function copyTemplate(
  sql: Pool,
  templateId: string,
  ids: readonly string[],
  from: number,
): Promise<void> {
  const copy = (table: string, idColumn: string, changes = ''): Promise<unknown> =>
    sql.query(
      `INSERT INTO ${table}
       SELECT (jsonb_populate_record(t, jsonb_build_object('${idColumn}', new.id ${changes}))).*
       FROM unnest($2::uuid[]) WITH ORDINALITY AS new(id, n) CROSS JOIN ${table} t
       WHERE t.${idColumn} = $1 ORDER BY new.n`,
      [templateId, ids],
    );
  const number = `(${String(from)} + new.n)`;
  const name = `'name', 'Datagrid ' || ${number}, 'name_key', 'datagrid ' || ${number}`;
  await copy('datagrids', 'id', `, ${name}`);
  await copy('datagrid_counters', 'datagrid_id');
  await copy('datagrid_columns', 'datagrid_id');
  await copy('datagrid_changes', 'datagrid_id');
}

/** Creates the rows of all datagrids with the statement of the service, in the order of `arrival`. */
export async function fillDatagrids(
  database: ManyDatabase,
  batchRows: number,
  arrival: Arrival,
): Promise<void> {
  const variants = Array.from({ length: VARIANTS }, (_, variant) =>
    batchesOf(variant, database.rows, batchRows),
  );
  const each = arrivals(database.datagrids, variants[0]?.length ?? 0, arrival);
  const write = async (): Promise<void> => {
    const client = new Client({
      connectionString: database.url,
      // Lost data does not matter: the next run fills a new database.
      options: '-c synchronous_commit=off -c plan_cache_mode=force_generic_plan -c jit=off',
    });
    await client.connect();
    try {
      // Both writers take from the same iterator.
      for (const { datagrid, batch } of each) {
        const rows = variants[datagrid % VARIANTS]?.[batch];
        const id = database.datagridIds[datagrid];
        if (rows && id !== undefined) await createRows(client, database, id, rows);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

async function createRows(
  client: Client,
  { schemaVersion }: ManyDatabase,
  id: string,
  { json, count }: RowBatch,
): Promise<void> {
  const author = [[count], [null], [null]];
  const values = [id, schemaVersion, json, count, 1, ...author, ...indexedParameters()];
  const created = await client.query({
    ...createStatement({ hasUnique: false, hasIndex: true }),
    values,
  });
  if (created.rowCount !== 1) throw new Error('The columns of a datagrid have changed.');
}
