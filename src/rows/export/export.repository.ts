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

/** One snapshot of a datagrid. */
export class RowSnapshot {
  constructor(
    private readonly connection: SnapshotConnection,
    private readonly schema: DatagridSchema,
    readonly version: ExportedVersion,
  ) {}

  /** The rows, a line each, and their number at the end. @throws BudgetExceededError */
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

/** Reads rows apart from everybody else: each export by a connection of its own. */
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

  /** `null` where the account has no such datagrid, or it has other columns by now. */
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
