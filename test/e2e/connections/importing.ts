import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { ImportScheduleService } from '../../../src/scheduled-imports/import-schedule.service';
import type { Member, TestApp } from '../../support/test-app';

/** The engine of a test may be slow on a busy machine. */
const PATIENCE_MS = 50_000;

/** A datagrid, and a connection that serves only scheduled imports. */
export class Importing {
  private constructor(
    private readonly app: TestApp,
    readonly owner: Member,
    readonly workspace: string,
    /** Path of the datagrid. */
    readonly datagrid: string,
    /** Path of the connection. */
    readonly connection: string,
  ) {}

  /** @param target `type`, `settings` and `secret` of the connection. */
  static async start(
    app: TestApp,
    owner: Member,
    target: Json,
    columns: readonly object[],
    { datagridIds = [] }: { readonly datagridIds?: readonly string[] | null } = {},
  ): Promise<Importing> {
    const workspace = await newWorkspace(owner.api);
    const datagrid = await newDatagrid(owner.api, columns, workspace);
    const connections = `/workspaces/${workspace}/connections`;
    const body = { name: 'Warehouse', datagridIds, ...target };
    const { id } = dataOf(await owner.api.post(connections, body), 201);
    return new Importing(app, owner, workspace, datagrid, `${connections}/${String(id)}`);
  }

  get datagridId(): string {
    return this.datagrid.split('/')[2] ?? '';
  }

  /** Path of the scheduled imports of the connection. */
  get path(): string {
    return `${this.connection}/imports`;
  }

  /** Creates a scheduled import that runs only on demand. @returns its path. */
  async create(body: Json): Promise<string> {
    const { datagridId } = this;
    const whole = { name: 'Traffic', datagridId, keyColumns: ['code'], ...body };
    const { id } = dataOf(await this.owner.api.post(this.path, whole), 201);
    return `${this.path}/${String(id)}`;
  }

  async get(path: string): Promise<Json> {
    return dataOf(await this.owner.api.get(path), 200);
  }

  async patch(path: string, body: Json): Promise<void> {
    dataOf(await this.owner.api.patch(path, body), 200);
  }

  /** Requests a run and waits for its end. @returns the run. */
  async run(path: string): Promise<Json> {
    const before = (await this.get(path)).lastRun?.id ?? null;
    const { status } = await this.owner.api.post(`${path}/run`);
    expect(status).toBe(204);
    await this.app.nest.get(ImportScheduleService, { strict: false }).runOnce();
    return this.nextRun(path, before);
  }

  /** Waits for a run after another one. */
  async nextRun(path: string, before: string | null): Promise<Json> {
    return eventually(async () => {
      const { lastRun } = await this.get(path);
      return lastRun !== undefined && lastRun.id !== before && lastRun;
    }, PATIENCE_MS);
  }

  /** Creates a scheduled import and runs it. */
  async import(body: Json): Promise<Json> {
    return this.run(await this.create(body));
  }

  /** Returns what a preview of a query says. */
  async preview(body: Json): Promise<Json> {
    return dataOf(await this.owner.api.post(`${this.path}/preview`, body), 200);
  }

  /** Returns the values of the rows, in the order in which they were created. */
  async rows(): Promise<Json[]> {
    const data = dataOf(await this.owner.api.get(`${this.datagrid}/rows?limit=200`), 200) as Json[];
    return data.map(({ values }) =>
      Object.fromEntries(Object.entries(values as object).filter(([, value]) => value !== null)),
    );
  }
}
