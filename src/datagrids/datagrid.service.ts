import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/actor';
import { AuditService } from '../auth/audit/audit.service';
import { auditTarget } from '../auth/audit/audit-target';
import { QuotaService } from '../auth/quota/quota.service';
import type { IfMatch } from '../common/conditional/if-match';
import { Item } from '../common/envelope/item';
import { Page } from '../common/envelope/page';
import { notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { foldName } from '../common/text/fold-name';
import { newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { etagOf } from '../platform/http/etag';
import { WorkspaceService } from '../workspaces/workspace.service';
import { checkNewColumns } from './column/column-check';
import { newColumn, toColumnDto } from './column/column-record';
import { withFreeDatagridName } from './datagrid-name';
import { DatagridRepository, type DatagridRecord } from './datagrid.repository';
import type { CreateDatagridDto } from './dto/create-datagrid.dto';
import type { DatagridDto } from './dto/datagrid.dto';
import type { UpdateDatagridDto } from './dto/update-datagrid.dto';
import { DatagridQuota } from './quota/datagrid-quota';

/** Living datagrids of one account. What belongs to another, or is in the trash, is not found. */
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
  ) {}

  /**
   * @throws AppError `not_found` for the workspace, `invalid_request` for the columns, `conflict`
   * where the name is taken, `quota_exceeded`.
   */
  async create(
    accountId: string,
    workspaceId: string,
    body: CreateDatagridDto,
    by: Actor,
  ): Promise<Item<DatagridDto>> {
    const bodies = body.columns ?? [];
    checkNewColumns(bodies, this.config.columnLimit);
    const now = new Date();
    const datagrid = {
      id: newId(),
      accountId,
      workspaceId,
      name: body.name,
      nameKey: foldName(body.name),
      description: body.description ?? '',
      plainValues: true,
      createdAt: now,
      updatedAt: now,
      version: 1,
    };
    const columns = bodies.map((column, index) => newColumn(column, index + 1, column.key));
    await withFreeDatagridName(() =>
      this.quotas.run(accountId, [this.quota], () =>
        this.database.transaction(async () => {
          if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound();
          await this.repository.insert(datagrid, columns);
          const target = auditTarget('datagrid', datagrid.id, body.name);
          await this.audit.record(accountId, by, 'datagrid_created', target);
        }),
      ),
    );
    return toItem({ ...datagrid, columns, rowCount: 0, revision: 0 });
  }

  /** @throws AppError `not_found` for the workspace. */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<Page<DatagridDto>> {
    await this.workspaces.get(accountId, workspaceId);
    const [datagrids, total] = await this.repository.list(accountId, workspaceId, page);
    return new Page(datagrids.map(toDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(accountId: string, id: string): Promise<Item<DatagridDto>> {
    return toItem(found(await this.repository.find(accountId, id)));
  }

  /**
   * @throws AppError `not_found`, `precondition_failed` where the datagrid has moved on, or
   *   `conflict` where the name is taken.
   */
  async update(
    accountId: string,
    id: string,
    body: UpdateDatagridDto,
    ifMatch: IfMatch,
  ): Promise<Item<DatagridDto>> {
    const { name, description } = body;
    const change = {
      ...(name !== undefined && { name, nameKey: foldName(name) }),
      ...(description !== undefined && { description }),
    };
    return withFreeDatagridName(() =>
      this.database.transaction(async () => {
        await this.lockMatching(accountId, id, ifMatch);
        await this.repository.update(accountId, id, change);
        return this.get(accountId, id);
      }),
    );
  }

  /**
   * Inside a transaction: what holds here holds until its end.
   * @throws AppError `not_found`, or `precondition_failed` where the datagrid has moved on.
   */
  async lockMatching(accountId: string, id: string, ifMatch: IfMatch): Promise<DatagridDto> {
    const { data, etag } = toItem(found(await this.repository.lock(accountId, id)));
    ifMatch.require(etag);
    return data;
  }
}

function found(datagrid: DatagridRecord | null): DatagridRecord {
  if (!datagrid) throw notFound();
  return datagrid;
}

/** The tag does not move with the rows. */
function toItem(record: DatagridRecord): Item<DatagridDto> {
  const tagged = toDto({ ...record, rowCount: 0, revision: 0 });
  return new Item(toDto(record), etagOf(tagged, String(record.version)));
}

function toDto(datagrid: DatagridRecord): DatagridDto {
  return {
    id: datagrid.id,
    workspaceId: datagrid.workspaceId,
    name: datagrid.name,
    description: datagrid.description,
    columns: datagrid.columns.map(toColumnDto),
    rowCount: datagrid.rowCount,
    revision: datagrid.revision,
    createdAt: datagrid.createdAt.toISOString(),
    updatedAt: datagrid.updatedAt.toISOString(),
  };
}
