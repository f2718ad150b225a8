import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ColumnarCopies } from '../../../src/columnar/columnar-copies';
import { ColumnarDatabase, type ColumnarProcess } from '../../../src/columnar/columnar-database';
import { CopyDemand } from '../../../src/columnar/copy-demand';
import { CopyFollowingService } from '../../../src/columnar/copy-following.service';
import { CopyLoadingService } from '../../../src/columnar/copy-loading.service';
import { Metrics } from '../../../src/platform/metrics/metrics';
import { TestApp } from '../../support/test-app';
import type { TestSettings } from '../../support/test-settings';

/** Numbers of queries of datagrids with a copy, by how they ended. */
export type Outcomes = Readonly<Record<'served' | 'unable' | 'behind' | 'failed', number>>;

/** Two instances with one database. Only the first has columnar copies, also of small datagrids. */
export class CopiedService {
  private constructor(
    readonly app: TestApp,
    readonly other: TestApp,
    readonly directory: string,
  ) {}

  /** @param given Directory of the copies. By default, a new one. */
  static async start(settings: TestSettings = {}, given?: string): Promise<CopiedService> {
    const directory = given ?? (await mkdtemp(join(tmpdir(), 'datagrid-columnar-')));
    // Tests say when copies are loaded and brought up to date.
    const columnarPauseMs = 24 * 60 * 60 * 1_000;
    const constants = { columnarMinRows: 0, columnarRestartMs: 0, columnarPauseMs };
    const app = await TestApp.start({
      settings: { COLUMNAR_DIR: directory, ...constants, ...settings },
    });
    const other = await TestApp.start({ database: app.database });
    return new CopiedService(app, other, directory);
  }

  get copies(): ColumnarCopies {
    return this.app.nest.get(ColumnarCopies, { strict: false });
  }

  get demand(): CopyDemand {
    return this.app.nest.get(CopyDemand, { strict: false });
  }

  /** Loads a copy of a datagrid, if it has none. */
  async load(accountId: string, datagridId: string): Promise<void> {
    this.demand.postpone({ accountId, datagridId }, 0);
    this.demand.noteBehind({ accountId, datagridId });
    await this.app.nest.get(CopyLoadingService, { strict: false }).runOnce();
  }

  /** Does what the background task does for copies: writes changes, and drops what is of no use. */
  async follow(): Promise<void> {
    await this.app.nest.get(CopyFollowingService, { strict: false }).runOnce();
  }

  process(): Promise<ColumnarProcess> {
    return this.app.nest.get(ColumnarDatabase, { strict: false }).open();
  }

  async outcomes(): Promise<Outcomes> {
    const { registry } = this.app.nest.get(Metrics, { strict: false });
    const metric = await registry.getSingleMetric('datagrid_columnar_queries_total')?.get();
    const found = new Map(metric?.values.map(({ labels, value }) => [labels['outcome'], value]));
    const of = (outcome: keyof Outcomes): number => found.get(outcome) ?? 0;
    return {
      served: of('served'),
      unable: of('unable'),
      behind: of('behind'),
      failed: of('failed'),
    };
  }

  async close(): Promise<void> {
    await this.other.close();
    await this.app.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
