import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { ConnectionWatch } from '../../platform/database/connection-watch';
import { DatabaseUrl } from '../../platform/database/database-url';
import { SnapshotConnection } from '../../platform/database/snapshot-connection';
import type { WorkBudget } from '../../platform/database/work-budget';
import type { FindRequest } from '../find/find-request';
import type { RowVersion } from '../read/row-version.repository';
import type { ExportRequest } from './export-request';
import { EXPORTED_VERSION, exportSql, planSettings } from './export-sql';

interface ExportedVersion extends RowVersion {
  readonly isPlain: boolean;
}

/** A snapshot of a datagrid's rows. */
export class RowSnapshot {
  constructor(
    private readonly connection: SnapshotConnection,
    private readonly schema: DatagridSchema,
    readonly version: ExportedVersion,
  ) {}

  /** Yields the rows, one line each, and returns their number. @throws BudgetExceededError */
  lines(
    request: FindRequest,
    { print, style }: Pick<ExportRequest, 'print' | 'style'>,
    budget: WorkBudget | undefined,
  ): AsyncGenerator<Buffer, number> {
    const { datagridId, columns } = this.schema;
    const { isPlain } = this.version;
    const all = [...columns.values()];
    const statement = exportSql(datagridId, { all, isPlain }, request, print, style);
    return this.connection.copy(statement, planSettings(request), budget);
  }

  close(): void {
    this.connection.close();
  }
}

/** Reads rows for exports. Each export has its own connection, apart from other requests. */
@Injectable()
export class ExportRepository {
  constructor(
    private readonly config: AppConfig,
    private readonly databaseUrl: DatabaseUrl,
    private readonly watch: ConnectionWatch,
  ) {}

  connect(): Promise<SnapshotConnection> {
    const timeoutMs = this.config.exportTimeoutSeconds * 1000;
    return SnapshotConnection.open(this.databaseUrl.url, timeoutMs, this.watch);
  }

  /**
   * Takes a snapshot of the datagrid.
   * @returns `null` if the account has no such datagrid, or if the columns are no longer those of
   *   `schema`.
   */
  async findSnapshot(
    connection: SnapshotConnection,
    accountId: string,
    schema: DatagridSchema,
  ): Promise<RowSnapshot | null> {
    const values = [schema.datagridId, accountId];
    const [version] = await connection.begin<ExportedVersion>(EXPORTED_VERSION, values);
    if (version?.schemaVersion !== schema.version) return null;
    return new RowSnapshot(connection, schema, version);
  }
}
