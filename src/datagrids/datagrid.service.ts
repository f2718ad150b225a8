import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Page } from '../common/envelope/page';
import { conflict, notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { foldName } from '../common/text/fold-name';
import { newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { isForeignKeyViolation, onDuplicate } from '../platform/database/database-error';
import { WorkspaceContents, type WorkspaceTenant } from '../workspaces/workspace-contents';
import { WorkspaceService } from '../workspaces/workspace.service';
import { checkNewColumns } from './column/column-check';
import { newColumn, toColumnDto } from './column/column-record';
import { DatagridRepository, type DatagridRecord } from './datagrid.repository';
import type { CreateDatagridDto } from './dto/create-datagrid.dto';
import type { DatagridDto } from './dto/datagrid.dto';
import type { UpdateDatagridDto } from './dto/update-datagrid.dto';

/** Datagrids of one account. What belongs to another account is not found. */
@Injectable()
export class DatagridService implements OnModuleInit, WorkspaceTenant {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: DatagridRepository,
    private readonly workspaces: WorkspaceService,
    private readonly workspaceContents: WorkspaceContents,
  ) {}

  onModuleInit(): void {
    this.workspaceContents.register(this);
  }

  /**
   * @throws AppError `not_found` for the workspace, `invalid_request` for the columns, `conflict`
   * where the name is taken.
   */
  async create(
    accountId: string,
    workspaceId: string,
    body: CreateDatagridDto,
  ): Promise<DatagridDto> {
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
    };
    const columns = bodies.map((column, index) => newColumn(column, index + 1, column.key));
    await this.workspaces.get(accountId, workspaceId);
    await withFreeName(() =>
      this.database.transaction(() => this.repository.insert(datagrid, columns)),
    ).catch((error: unknown) => {
      // The workspace went away meanwhile.
      throw isForeignKeyViolation(error) ? notFound() : error;
    });
    return toDto({ ...datagrid, columns, rowCount: 0, revision: 0 });
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
  async get(accountId: string, id: string): Promise<DatagridDto> {
    const datagrid = await this.repository.find(accountId, id);
    if (!datagrid) throw notFound();
    return toDto(datagrid);
  }

  /** @throws AppError `not_found`, or `conflict` where the name is taken. */
  async update(accountId: string, id: string, body: UpdateDatagridDto): Promise<DatagridDto> {
    const { name, description } = body;
    const change = {
      ...(name !== undefined && { name, nameKey: foldName(name) }),
      ...(description !== undefined && { description }),
      updatedAt: new Date(),
    };
    await withFreeName(() => this.repository.update(accountId, id, change));
    return this.get(accountId, id);
  }

  /** Gone for every reader at once; its rows are cleared away later. @throws AppError `not_found` */
  async delete(accountId: string, id: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.get(accountId, id);
      if (!(await this.repository.delete(accountId, id))) throw notFound();
    });
  }

  async countIn(accountId: string, workspaceId: string): Promise<number> {
    return this.repository.countIn(accountId, workspaceId);
  }

  async deleteAllIn(accountId: string, workspaceId: string): Promise<void> {
    for (const id of await this.repository.idsIn(accountId, workspaceId)) {
      await this.repository.delete(accountId, id);
    }
  }
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

function withFreeName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is the name of another datagrid in this workspace';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('datagrids_name', taken, work);
}
