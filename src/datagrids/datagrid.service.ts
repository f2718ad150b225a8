import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { QuotaService } from '../auth/quota/quota.service';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import { invalidRequest, notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { foldName, newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { etagOf } from '../platform/http/etag';
import { WorkspaceService } from '../workspaces/workspace.service';
import { authorOf, type Writer } from './change-log/change-log-sql';
import { checkNewColumns } from './column/column-check';
import { defaultBytes, rejectLargeDefaults } from './column/column-default';
import { metadataBytes, rejectMuchMetadata } from './column/column-metadata';
import { type ColumnRecord, newColumn } from './column/column-record';
import { LargeColumns } from './column/large-columns';
import {
  type CreateDatagridDto,
  type DatagridDto,
  type ListedDatagridDto,
  type UpdateDatagridDto,
  withFreeDatagridName,
} from './dto/datagrid.dto';
import { isComputed } from './column-type/column-type';
import { ComputedColumnService } from './column/computed-column.service';
import { LinkTargetService } from './link/link-target.service';
import {
  DatagridRepository,
  type DatagridRecord,
  type DatagridSummary,
} from './datagrid.repository';
import { DatagridQuota } from './quota/quota-count.repository';

/** Estimated JSON length of the columns of all datagrids on one page. */
const MAX_PAGE_COLUMNS_BYTES = 8 * 1024 * 1024;

/** Datagrids of one account. A datagrid of another account or in the trash is not found. */
@Injectable()
export class DatagridService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: DatagridRepository,
    private readonly workspaces: WorkspaceService,
    private readonly audit: AuditService,
    private readonly quotas: QuotaService,
    private readonly quota: DatagridQuota,
    private readonly large: LargeColumns,
    private readonly targets: LinkTargetService,
    private readonly computed: ComputedColumnService,
  ) {}

  /**
   * @throws AppError `not_found` for the workspace, `invalid_request` for the columns, `conflict`
   *   if the name is taken, `quota_exceeded`.
   */
  async create(
    accountId: string,
    workspaceId: string,
    body: CreateDatagridDto,
    by: Actor,
  ): Promise<JsonResponse<DatagridDto>> {
    const bodies = body.columns ?? [];
    checkNewColumns(bodies, this.config.maxColumns);
    const now = new Date();
    const datagrid = {
      id: newId(),
      accountId,
      workspaceId,
      name: body.name,
      nameKey: foldName(body.name),
      description: body.description ?? '',
      history: body.history ?? false,
      plainValues: true,
      hasComputed: bodies.some(({ type }) => isComputed(type)),
      createdAt: now,
      updatedAt: now,
      version: 1,
    };
    const columns = bodies.map((column, index) => newColumn(column, index + 1, column.key));
    const metadata = columns.reduce((total, column) => total + metadataBytes(column), 0);
    rejectMuchMetadata(metadata, this.config.maxColumnMetadataBytes, 'columns');
    const defaults = columns.reduce(
      (total, column) => total + defaultBytes(column.defaultValue),
      0,
    );
    rejectLargeDefaults(defaults, 'columns');
    return withFreeDatagridName(() =>
      this.quotas.run(accountId, [this.quota], () =>
        this.database.transaction(async () => {
          if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound('Workspace');
          const writer = { ...authorOf(by), accountId };
          const insert = async (): Promise<void> =>
            this.repository.insert(datagrid, await this.resolved(writer, datagrid.id, columns));
          await this.targets.underLocks(writer, datagrid.id, workspaceId, columns, insert);
          const target = auditTarget('datagrid', datagrid.id, body.name);
          await this.audit.record(accountId, by, 'datagrid_created', target);
          return this.get(accountId, datagrid.id);
        }),
      ),
    );
  }

  /** Returns the columns of a new datagrid as they are stored. @throws as `ComputedColumnService.resolve` */
  private async resolved(
    writer: Writer,
    datagridId: string,
    columns: readonly ColumnRecord[],
  ): Promise<ColumnRecord[]> {
    const resolved = [...columns];
    for (const [index, column] of columns.entries()) {
      const path = `columns.${String(index)}.`;
      resolved[index] = await this.computed.resolve(writer, datagridId, column, path, resolved);
    }
    return resolved;
  }

  /**
   * @throws AppError `not_found` for the workspace, or `invalid_request` if the columns of the page
   *   are too long in total; `rate_limited` or `unavailable` if too many large datagrids are being
   *   read.
   */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
    omitColumns = false,
  ): Promise<JsonResponse<ListedDatagridDto[]>> {
    await this.workspaces.get(accountId, workspaceId);
    if (omitColumns) return this.listSummaries(accountId, workspaceId, page);
    const [datagrids, total] = found(
      await this.large.read(
        accountId,
        (maxBytes) => this.repository.list(accountId, workspaceId, page, maxBytes),
        rejectLongPage,
      ),
    );
    const shown = await this.computed.withShownOptions(accountId, datagrids);
    return JsonResponse.printedPage(`[${shown.map(print).join(',')}]`, shown.length, total, page);
  }

  /** Lists datagrids without columns. The workspace must belong to the account. */
  async listSummaries(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<JsonResponse<ListedDatagridDto[]>> {
    const [datagrids, total] = await this.repository.listSummaries(accountId, workspaceId, page);
    return JsonResponse.page(
      datagrids.map((each) => ({ ...toSummary(each), columnCount: each.columnCount })),
      total,
      page,
    );
  }

  /** @throws AppError `not_found` */
  async get(accountId: string, id: string): Promise<JsonResponse<DatagridDto>> {
    const record = await this.find(accountId, id);
    return JsonResponse.printed(print(record), { etag: tagOf(record) });
  }

  /** Returns a datagrid without its columns. @throws AppError `not_found` */
  async getSummary(accountId: string, id: string): Promise<DatagridSummary> {
    return found(await this.repository.findSummary(accountId, id));
  }

  /**
   * @throws AppError `not_found`, `precondition_failed` if the datagrid has changed, or `conflict`
   *   if the name is taken.
   */
  async update(
    accountId: string,
    id: string,
    body: UpdateDatagridDto,
    ifMatch: IfMatch,
  ): Promise<JsonResponse<DatagridDto>> {
    const { name, description, history } = body;
    const change = {
      ...(name !== undefined && { name, nameKey: foldName(name) }),
      ...(description !== undefined && { description }),
      ...(history !== undefined && { history }),
    };
    return withFreeDatagridName(() =>
      this.database.transaction(async () => {
        const before = await this.lockMatching(accountId, id, ifMatch);
        await this.repository.update(accountId, id, change);
        if (history !== undefined && history !== before.history) {
          await this.repository.raiseSchemaVersion(id);
        }
        return this.get(accountId, id);
      }),
    );
  }

  /**
   * Locks a datagrid that matches `ifMatch` until the end of the transaction. Use inside a
   * transaction.
   * @throws AppError `not_found`, or `precondition_failed` if the datagrid has changed.
   */
  async lockMatching(accountId: string, id: string, ifMatch: IfMatch): Promise<DatagridSummary> {
    if (!(await this.repository.lock(accountId, id))) throw notFound('Datagrid');
    const record = await this.find(accountId, id);
    ifMatch.require(tagOf(record));
    return record;
  }

  private async find(accountId: string, id: string): Promise<DatagridRecord> {
    const record = found(
      await this.large.read(accountId, (maxBytes) => this.repository.find(accountId, id, maxBytes)),
    );
    const [shown = record] = await this.computed.withShownOptions(accountId, [record]);
    return shown;
  }
}

function found<T>(datagrid: T | null | undefined): T {
  if (!datagrid) throw notFound('Datagrid');
  return datagrid;
}

/** @throws AppError `invalid_request` */
function rejectLongPage(bytes: number): void {
  if (bytes <= MAX_PAGE_COLUMNS_BYTES) return;
  const message = `returns too much data for datagrids with this many columns; use a smaller limit or omitColumns=true`;
  throw invalidRequest([{ field: 'limit', code: 'too_large', message }]);
}

/** Returns the ETag, which does not change when rows are written. */
function tagOf(record: DatagridRecord): string {
  const tagged = [toSummary({ ...record, rowCount: 0, revision: 0 }), record.columns];
  return etagOf(tagged, String(record.version));
}

/** Prints a datagrid as the API returns it. */
function print(record: DatagridRecord): string {
  const { id, workspaceId, name, description, history, ...rest } = toSummary(record);
  const head = JSON.stringify({ id, workspaceId, name, description, history }).slice(0, -1);
  return `${head},"columns":${record.columns},${JSON.stringify(rest).slice(1)}`;
}

function toSummary(datagrid: DatagridSummary): Omit<DatagridDto, 'columns'> {
  return {
    id: datagrid.id,
    workspaceId: datagrid.workspaceId,
    name: datagrid.name,
    description: datagrid.description,
    history: datagrid.history,
    rowCount: datagrid.rowCount,
    revision: datagrid.revision,
    createdAt: datagrid.createdAt.toISOString(),
    updatedAt: datagrid.updatedAt.toISOString(),
  };
}
