import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import type { DatagridDto } from '../../../src/datagrids/dto/datagrid.dto';
import type { ApiResponse, ApiClient, Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { waitingForLocks } from '../../support/locks';
import type { TestApp } from '../../support/test-app';

let serial = 0;

/** A datagrid for one test, with methods that change its columns and rows. */
export class Sheet {
  private constructor(
    readonly api: ApiClient,
    readonly id: string,
  ) {}

  static async create(api: ApiClient, columns: readonly object[] = []): Promise<Sheet> {
    const workspace = await api.post('/workspaces', { name: `W${String((serial += 1))}` });
    const path = `/workspaces/${workspace.body.data.id}/datagrids`;
    const created = await api.post(path, { name: 'Sheet', columns });
    expect(created.status).toBe(201);
    return new Sheet(api, created.body.data.id);
  }

  /** Creates a datagrid with one column `a` and a row for each value; `undefined` leaves it empty. */
  static async of(api: ApiClient, column: object, values: readonly unknown[]): Promise<Sheet> {
    const sheet = await Sheet.create(api, [{ key: 'a', ...column }]);
    await sheet.fill(values.map((a) => (a === undefined ? {} : { a })));
    return sheet;
  }

  get path(): string {
    return `/datagrids/${this.id}`;
  }

  async read(): Promise<DatagridDto> {
    return (await this.api.get(this.path)).body.data as DatagridDto;
  }

  /** Sets `updatedAt` to 2020 and returns the datagrid. */
  async readAged(app: TestApp): Promise<DatagridDto> {
    await app.sql.query(`UPDATE datagrids SET updated_at = '2020-01-01Z' WHERE id = $1`, [this.id]);
    return this.read();
  }

  addColumn(column: object): Promise<ApiResponse> {
    return this.api.post(`${this.path}/columns`, column);
  }

  changeColumn(key: string, change: object): Promise<ApiResponse> {
    return this.api.patch(`${this.path}/columns/${key}`, change);
  }

  removeColumn(key: string): Promise<ApiResponse> {
    return this.api.delete(`${this.path}/columns/${key}`);
  }

  /** Creates rows of these values, up to 1,000 a call. */
  async fill(values: readonly object[]): Promise<void> {
    for (let from = 0; from < values.length; from += 1_000) {
      const rows = values.slice(from, from + 1_000).map((value) => ({ values: value }));
      expect((await this.addRows(rows)).status).toBe(201);
    }
  }

  addRow(values: object): Promise<ApiResponse> {
    return this.api.post(`${this.path}/rows`, { values });
  }

  addRows(rows: readonly object[]): Promise<ApiResponse> {
    return this.api.post(`${this.path}/rows`, { rows });
  }

  /** Returns the values of the first 200 rows. */
  async values(): Promise<Json[]> {
    const { body } = await this.api.get(`${this.path}/rows?limit=200`);
    return (body.data as { values: Json }[]).map(({ values }) => values);
  }

  /** Returns the datagrid's revision and the schema version that rows are checked against. */
  async versions(app: TestApp): Promise<{ revision: number; columns: number }> {
    const { rows } = await app.sql.query<{ revision: number; columns: number }>(
      `SELECT revision::int, schema_version AS columns FROM datagrid_counters WHERE datagrid_id = $1`,
      [this.id],
    );
    return rows[0] ?? { revision: -1, columns: -1 };
  }

  /** Waits until the jobs in the background have left this number of entries of unique values. */
  async waitForUniqueValues(app: TestApp, expected: number): Promise<void> {
    await eventually(async () => {
      await app.nest.get(IndexBuildService, { strict: false }).runOnce();
      const counted = await app.sql.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM unique_values WHERE datagrid_id = $1',
        [this.id],
      );
      return counted.rows[0]?.count === expected;
    });
  }

  /** Starts calls one after another while the datagrid is locked, so that all wait in that order. */
  async race(app: TestApp, ...calls: (() => Promise<ApiResponse>)[]): Promise<ApiResponse[]> {
    const holder = await app.sql.connect();
    const started: Promise<ApiResponse>[] = [];
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
        this.id,
      ]);
      for (const call of calls) {
        started.push(call());
        await eventually(async () => (await waitingForLocks(app)) >= started.length);
      }
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    return Promise.all(started);
  }
}
