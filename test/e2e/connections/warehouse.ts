import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'pg';
import type { ApiClient, Json } from '../../support/api-client';
import { onDatabase, withClient } from '../../support/database-url';
import { eventually } from '../../support/eventually';
import { TcpBridge } from '../../support/tcp-bridge';
import { createTestDatabase } from '../../support/test-database';

/** Setting with which the service may connect to a `Warehouse`. */
export const ALLOW_LOCAL = { CONNECTION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8' };

/** A PostgreSQL database that receives rows. */
export class Warehouse {
  private constructor(
    private readonly drop: () => Promise<void>,
    readonly bridge: TcpBridge,
    readonly sql: Pool,
  ) {}

  /** Creates a database on the server of the test run. */
  static async start(): Promise<Warehouse> {
    const database = await createTestDatabase();
    return Warehouse.open(database.url, () => database.drop());
  }

  /** Creates a database on another server, which is removed with the server. */
  static async on(server: string, name = 'warehouse'): Promise<Warehouse> {
    await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
    return Warehouse.open(onDatabase(server, name), () => Promise.resolve());
  }

  private static async open(url: string, drop: () => Promise<void>): Promise<Warehouse> {
    const sql = new Pool({ connectionString: url });
    sql.on('error', () => undefined);
    return new Warehouse(drop, await TcpBridge.start(url), sql);
  }

  /** Settings of a connection. Each test has a schema of its own. */
  settings(schema: string): Json {
    const { user, database } = this.bridge.target;
    return { host: '127.0.0.1', port: this.bridge.port, database, user, schema, tls: false };
  }

  /** `null` if the server needs no password. */
  get password(): string | null {
    const { password } = this.bridge.target;
    return password === '' ? null : password;
  }

  /** Returns the rows of a table as `{ id, revision, values }`; `null` if it does not exist. */
  async read(schema: string, table: string): Promise<Json[] | null> {
    const name = `"${schema}"."${table}"`;
    const { rows: found } = await this.sql.query('SELECT to_regclass($1) AS found', [name]);
    if (found[0].found === null) return null;
    const { rows } = await this.sql.query<{ row: Json }>(
      `SELECT to_jsonb(t) - '_synced_at' AS row FROM ${name} t ORDER BY _id`,
    );
    return rows.map(({ row: { _id: id, _revision: revision, ...values } }) => ({
      id,
      revision,
      values: withoutNulls(values),
    }));
  }

  async close(): Promise<void> {
    await this.sql.end();
    await this.bridge.close();
    await this.drop();
  }
}

/** Returns all rows of a datagrid as `{ id, revision, values }`. */
export async function listRows(api: ApiClient, datagrid: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await api.get(`${datagrid}/rows?limit=200&page=${String(page)}`);
    const data = body.data as Json[];
    rows.push(
      ...data.map(({ id, revision, values }) => ({ id, revision, values: withoutNulls(values) })),
    );
    if (page >= body.meta.totalPages) return rows;
  }
}

const withoutNulls = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** For reads of a table while its columns change: a read has several statements, and may fail between them. */
export const unreadable = (): null => null;

/** Waits until a table has the rows of a datagrid. */
export async function expectEqual(
  warehouse: Warehouse,
  schema: string,
  table: string,
  rows: () => Promise<readonly Json[]>,
): Promise<void> {
  const isEqual = async (): Promise<boolean> =>
    isDeepStrictEqual(await warehouse.read(schema, table).catch(unreadable), await rows());
  // The comparison below shows the difference.
  await eventually(isEqual).catch(() => undefined);
  expect(await warehouse.read(schema, table)).toEqual(await rows());
}
