import type { ApiClient, Json } from '../support/api-client';
import { COLUMNS } from './values';
import type { Operation } from './requests';

/** As many of each kind are known at a time; older ones are forgotten. */
const KEPT = 3;
const ROWS = 40;

/** What there is to send requests about, as far as answers have told. */
export class Living {
  cursor = '';
  etag = '"1-1"';
  private made = 0;
  private readonly ids: Record<string, string[]> = {
    key: COLUMNS.map(({ key }) => key),
    rowId: Array.from({ length: ROWS }, (_, index) => String(index + 1)),
  };
  private readonly imports = new Map<string, string>();

  constructor(private readonly api: ApiClient) {}

  /** One of them, the n-th in turn. */
  pick(name: string, turn: number, path: string): string {
    if (name === 'datagridId' && path.includes('{importId}') && this.imports.size > 0) {
      return [...this.imports.keys()][turn % this.imports.size] ?? '';
    }
    const known = this.ids[name] ?? [];
    return known[turn % Math.max(known.length, 1)] ?? 'none';
  }

  importOf(datagridId: string): string | undefined {
    return this.imports.get(datagridId);
  }

  /** Makes a workspace with a datagrid, some rows, an import and some of it in the trash. */
  async refresh(): Promise<void> {
    const name = `Fuzz ${String((this.made += 1))}`;
    const workspace = await this.create('/workspaces', { name });
    const grids = `/workspaces/${workspace}/datagrids`;
    const datagrid = await this.create(grids, { name, columns: COLUMNS });
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      values: { u: String(at), integer: at },
    }));
    const path = `/datagrids/${datagrid}/rows`;
    const { status } = await this.api.post(path, { rows });
    if (status !== 201) throw new Error(`The rows were not made: ${String(status)}`);
    const csv = { 'content-type': 'text/csv' };
    const { body } = await this.api.post(`${path}/import`, 'text\nimported\n', csv);
    const deleted = await this.create(grids, { name: `${name}, deleted` });
    await this.api.delete(`/datagrids/${deleted}`);
    // Only now: requests are sent about what is known.
    this.keep('itemId', deleted);
    this.keep('workspaceId', workspace);
    this.keep('datagridId', datagrid);
    this.keepImport(datagrid, body.data.id);
  }

  /** Learns from the answer to an operation that was carried out. */
  learn(operation: Operation, path: string, body: Json, etag: string | null): void {
    if (etag !== null) this.etag = etag;
    const cursor: unknown = body?.meta?.nextCursor;
    if (typeof cursor === 'string') this.cursor = cursor;
    const id: unknown = body?.data?.id;
    if (operation.method === 'delete') {
      const [, gone = ''] =
        /\/(?:workspaces|datagrids)\/([^/?]+)$/.exec(path.split('?')[0] ?? '') ?? [];
      if (gone !== '') {
        this.keep('itemId', gone);
        this.forget(gone);
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
    if (this.imports.size > KEPT && oldest !== undefined) this.imports.delete(oldest);
  }

  private keep(name: string, id: string): void {
    this.ids[name] = [id, ...(this.ids[name] ?? [])].slice(0, KEPT);
  }

  private async create(path: string, body: object): Promise<string> {
    const answer = await this.api.post(path, body);
    if (answer.status !== 201) throw new Error(`Not made: ${String(answer.status)} ${answer.text}`);
    return String(answer.body.data.id);
  }
}
