import type { ApiResponse, Json } from '../../support/api-client';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'name', type: 'text', required: true },
  { key: 'stock', type: 'integer' },
];

/** A datagrid for batches. Each test gets a new one with rows 1 to 3 at revision 1. */
export class BatchSheet {
  team!: Team;
  /** The path of the datagrid, for example `/datagrids/…`. */
  path = '';
  private app!: TestApp;

  /** Registers the hooks that run before and after the tests of a file. */
  static forEachTest(): BatchSheet {
    const sheet = new BatchSheet();
    beforeAll(() => sheet.start());
    beforeEach(() => sheet.fill());
    afterAll(() => sheet.close());
    return sheet;
  }

  readonly send = (body: unknown): Promise<ApiResponse> =>
    this.team.editor.api.post(`${this.path}/rows/batch`, body);

  readonly atomic = (...operations: object[]): Promise<ApiResponse> =>
    this.send({ mode: 'atomic', operations });

  readonly partial = (...operations: object[]): Promise<ApiResponse> =>
    this.send({ mode: 'partial', operations });

  readonly stored = async (): Promise<Json[]> =>
    (await this.team.viewer.api.get(`${this.path}/rows`)).body.data;

  readonly revision = async (): Promise<number> =>
    (await this.team.viewer.api.get(this.path)).body.data.revision;

  private async start(): Promise<void> {
    this.app = await TestApp.start({ settings: { MAX_ROW_BYTES: '2000' } });
    this.team = await newTeam(this.app);
  }

  private async fill(): Promise<void> {
    this.path = await newDatagrid(this.team.owner.api, COLUMNS);
    const rows = ['a', 'b', 'c'].map((sku) => ({ values: { sku, name: sku.toUpperCase() } }));
    await this.team.owner.api.post(`${this.path}/rows`, { rows });
  }

  private async close(): Promise<void> {
    expect(await problemsOf(this.app)).toEqual([]);
    await this.app.close();
  }
}

/** Returns each result as its status, or as the code and fields of its error. */
export const summary = (response: ApiResponse): string[] =>
  (dataOf(response, 200).results as Json[]).map(({ status, error }) =>
    status === 'error'
      ? [
          error.code,
          ...(error.details as Json[]).map(({ field, code }) => `${field} ${code}`),
        ].join(': ')
      : status,
  );
