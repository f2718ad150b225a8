import { Injectable } from '@nestjs/common';
import { Page } from '../common/envelope/page';
import { conflict, notFound, type AppError } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { foldName } from '../common/text/fold-name';
import { newId } from '../common/text/id';
import { Database } from '../platform/database/database';
import { onDuplicate } from '../platform/database/database-error';
import type { CreateWorkspaceDto } from './dto/create-workspace.dto';
import type { UpdateWorkspaceDto } from './dto/update-workspace.dto';
import type { WorkspaceDto } from './dto/workspace.dto';
import { WorkspaceContents } from './workspace-contents';
import {
  WorkspaceRepository,
  type ListedWorkspace,
  type WorkspaceRecord,
} from './workspace.repository';

/** Workspaces of one account. What belongs to another account is not found. */
@Injectable()
export class WorkspaceService {
  constructor(
    private readonly database: Database,
    private readonly repository: WorkspaceRepository,
    private readonly contents: WorkspaceContents,
  ) {}

  /** @throws AppError `conflict` where the name is taken. */
  async create(accountId: string, body: CreateWorkspaceDto): Promise<WorkspaceDto> {
    const now = new Date();
    const workspace: WorkspaceRecord = {
      id: newId(),
      accountId,
      name: body.name,
      nameKey: foldName(body.name),
      description: body.description ?? '',
      createdAt: now,
      updatedAt: now,
    };
    await withFreeName(() => this.repository.insert(workspace));
    return toDto(workspace);
  }

  async list(accountId: string, page: PageRequest): Promise<Page<WorkspaceDto>> {
    const [workspaces, total] = await this.repository.list(accountId, page);
    return new Page(workspaces.map(toDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(accountId: string, id: string): Promise<WorkspaceDto> {
    return toDto(found(await this.repository.find(accountId, id)));
  }

  /** @throws AppError `not_found`, or `conflict` where the name is taken. */
  async update(accountId: string, id: string, body: UpdateWorkspaceDto): Promise<WorkspaceDto> {
    const { name, description } = body;
    const change = {
      ...(name !== undefined && { name, nameKey: foldName(name) }),
      ...(description !== undefined && { description }),
      updatedAt: new Date(),
    };
    return toDto(found(await withFreeName(() => this.repository.update(accountId, id, change))));
  }

  /** @throws AppError `not_found`, or `conflict` where it holds datagrids and `cascade` is false. */
  async delete(accountId: string, id: string, cascade: boolean): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.repository.lock(accountId, id))) throw notFound();
      if (cascade) await this.contents.deleteAllIn(accountId, id);
      else await this.refuseFilled(accountId, id);
      await this.repository.delete(accountId, id);
    });
  }

  private async refuseFilled(accountId: string, id: string): Promise<void> {
    if ((await this.contents.countIn(accountId, id)) > 0) {
      throw conflict('The workspace holds datagrids. Delete them first, or pass cascade=true.');
    }
  }
}

function toDto(workspace: ListedWorkspace): WorkspaceDto {
  return {
    id: workspace.id,
    name: workspace.name,
    description: workspace.description,
    createdAt: workspace.createdAt.toISOString(),
    updatedAt: workspace.updatedAt.toISOString(),
  };
}

function found(workspace: WorkspaceRecord | null): WorkspaceRecord {
  if (!workspace) throw notFound();
  return workspace;
}

function withFreeName<T>(work: () => Promise<T>): Promise<T> {
  return onDuplicate('workspaces_name', nameTaken, work);
}

function nameTaken(): AppError {
  const message = 'is the name of another workspace in this account';
  return conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
}
