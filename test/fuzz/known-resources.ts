import type { ApiClient, Json } from '../support/api-client';
import { COLUMNS } from './values';
import type { Operation } from './requests';

/** Number of resources of each kind that are known at a time. */
const MAX_KNOWN = 3;
const ROWS = 40;
/** Ids of rows that are deleted at first. */
export const DELETED_ROWS = [41, 42, 43, 44];
/** Id of a column that is removed at first. */
export const REMOVED_COLUMN = COLUMNS.length + 1;

/** Resources that exist according to earlier responses, for use in later requests. */
export class KnownResources {
  cursor = '';
  etag = '"1-1"';
  private created = 0;
  private readonly ids: Record<string, string[]> = {
    key: COLUMNS.map(({ key }) => key),
    rowId: Array.from({ length: ROWS }, (_, index) => String(index + 1)),
  };
  private readonly imports = new Map<string, string>();
  /** Views by the ids of their datagrids. */
  private readonly views = new Map<string, string>();
  /** Datagrids in the workspaces of connections, by the ids of the connections. */
  private readonly datagrids = new Map<string, string>();

  constructor(private readonly api: ApiClient) {}

  /** Returns the value of a path parameter by index, modulo the number of known values. */
  pick(name: string, index: number, path: string): string {
    if (name === 'datagridId' && path.includes('{importId}') && this.imports.size > 0) {
      return [...this.imports.keys()][index % this.imports.size] ?? '';
    }
    const known = this.ids[name] ?? [];
    return known[index % Math.max(known.length, 1)] ?? 'none';
  }

  datagridOf(connectionId: string): string {
    return this.datagrids.get(connectionId) ?? 'none';
  }

  viewOf(datagridId: string): string | undefined {
    return this.views.get(datagridId);
  }

  importOf(datagridId: string): string | undefined {
    return this.imports.get(datagridId);
  }

  /** Creates a workspace, a datagrid with rows, a shared view and an import, a webhook, a connection with a scheduled import, and a datagrid in the trash. */
  async refresh(): Promise<void> {
    const name = `Fuzz ${String((this.created += 1))}`;
    const workspace = await this.create('/workspaces', { name });
    const grids = `/workspaces/${workspace}/datagrids`;
    const datagrid = await this.create(grids, { name, columns: COLUMNS, history: true });
    const rows = Array.from({ length: ROWS + DELETED_ROWS.length }, (_, at) => ({
      values: { u: String(at), integer: at },
    }));
    const path = `/datagrids/${datagrid}/rows`;
    const { status } = await this.api.post(path, { rows });
    if (status !== 201) throw new Error(`The rows were not created: ${String(status)}`);
    await this.api.patch(`${path}/1`, { values: { integer: 7 } });
    for (const id of DELETED_ROWS) await this.api.delete(`${path}/${String(id)}`);
    await this.api.post(`/datagrids/${datagrid}/columns`, { key: 'removed', type: 'text' });
    await this.api.delete(`/datagrids/${datagrid}/columns/removed`);
    const view = await this.create(`/datagrids/${datagrid}/views`, { name });
    const link = await this.api.post(`/datagrids/${datagrid}/views/${view}/link`, {});
    if (link.status !== 201) throw new Error(`The view was not shared: ${String(link.status)}`);
    const sql = { name, sql: 'SELECT 1' };
    const query = await this.create(`/workspaces/${workspace}/sql/queries`, sql);
    const url = 'https://receiver.invalid/';
    const webhook = await this.create(`/workspaces/${workspace}/webhooks`, { url });
    const settings = { host: 'warehouse.invalid', database: 'fuzz', user: 'fuzz' };
    const connection = await this.create(`/workspaces/${workspace}/connections`, {
      name,
      type: 'postgresql',
      settings,
    });
    const imports = `/workspaces/${workspace}/connections/${connection}/imports`;
    const scheduledImport = await this.create(imports, {
      name,
      datagridId: datagrid,
      query: 'SELECT 1 AS u',
      keyColumns: ['u'],
    });
    const csv = { 'content-type': 'text/csv' };
    const { body } = await this.api.post(`${path}/import`, 'text\nimported\n', csv);
    const deleted = await this.create(grids, { name: `${name}, deleted` });
    await this.api.delete(`/datagrids/${deleted}`);
    // At the end, because other requests use the known ids at once.
    this.keep('itemId', deleted);
    this.keep('workspaceId', workspace);
    this.keep('datagridId', datagrid);
    this.keep('viewId', view);
    this.keep('queryId', query);
    this.views.set(datagrid, view);
    this.keep('webhookId', webhook);
    this.datagrids.set(connection, datagrid);
    this.keep('connectionId', connection);
    this.keep('scheduledImportId', scheduledImport);
    this.keepImport(datagrid, body.data.id);
  }

  /** Records the ids, the cursor and the ETag of a successful response. */
  learn(operation: Operation, path: string, body: Json, etag: string | null): void {
    if (etag !== null) this.etag = etag;
    const cursor: unknown = body?.meta?.nextCursor;
    if (typeof cursor === 'string') this.cursor = cursor;
    const id: unknown = body?.data?.id;
    if (operation.method === 'delete') {
      const [, deleted = ''] =
        /\/(?:workspaces|datagrids)\/([^/?]+)$/.exec(path.split('?')[0] ?? '') ?? [];
      if (deleted !== '') {
        this.keep('itemId', deleted);
        this.forget(deleted);
      }
    }
    if (operation.method !== 'post' || typeof id !== 'string') return;
    if (operation.path.endsWith('/import')) this.keepImport(String(body.data.datagridId), id);
  }

  private forget(id: string): void {
    for (const name of ['workspaceId', 'datagridId']) {
      this.ids[name] = (this.ids[name] ?? []).filter((known) => known !== id);
    }
    this.imports.delete(id);
  }

  private keepImport(datagridId: string, id: string): void {
    this.imports.set(datagridId, id);
    const [oldest] = this.imports.keys();
    if (this.imports.size > MAX_KNOWN && oldest !== undefined) this.imports.delete(oldest);
  }

  private keep(name: string, id: string): void {
    this.ids[name] = [id, ...(this.ids[name] ?? [])].slice(0, MAX_KNOWN);
  }

  private async create(path: string, body: object): Promise<string> {
    const response = await this.api.post(path, body);
    if (response.status !== 201)
      throw new Error(`Not created: ${String(response.status)} ${response.text}`);
    return String(response.body.data.id);
  }
}
