import { Injectable } from '@nestjs/common';
import type { IfMatch } from '../../common/conditional/if-match';
import { conflict, notFound } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import type { WorkspaceDto } from '../dto/workspace.dto';
import { WorkspaceContents } from '../workspace-contents';
import { withFreeWorkspaceName } from '../workspace-name';
import { WorkspaceService } from '../workspace.service';
import { WorkspaceTrashRepository } from './workspace-trash.repository';

/**
 * The way of workspaces into the trash and out of it. The workspace is locked first, then what
 * is in it, everywhere: nothing comes into a workspace that goes.
 */
@Injectable()
export class WorkspaceTrashService {
  constructor(
    private readonly database: Database,
    private readonly repository: WorkspaceTrashRepository,
    private readonly workspaces: WorkspaceService,
    private readonly contents: WorkspaceContents,
  ) {}

  /**
   * Deletes a workspace with what is in it, for a while.
   * @throws AppError `not_found`, `precondition_failed` where it has moved on, or `conflict` where it holds datagrids and `cascade` is false.
   */
  async put(accountId: string, id: string, cascade: boolean, ifMatch: IfMatch): Promise<void> {
    await this.database.transaction(async () => {
      await this.workspaces.lockMatching(accountId, id, ifMatch);
      if (cascade) await this.contents.putAllIn(id);
      else if ((await this.contents.countIn(id)) > 0) throw notEmpty();
      await this.repository.put(accountId, id);
    });
  }

  /**
   * Brings a workspace back, with what went with it.
   * @throws AppError `not_found`, or `conflict` where its name is taken again.
   */
  async restore(accountId: string, id: string): Promise<WorkspaceDto> {
    return withFreeWorkspaceName(() =>
      this.database.transaction(async () => {
        if (!(await this.repository.restore(accountId, id))) throw notFound();
        await this.contents.restoreAllIn(id);
        return this.workspaces.get(accountId, id);
      }),
    );
  }

  /**
   * Takes a workspace in the trash away for good, with all that was ever deleted in it.
   * @param longerThanSeconds Where given, only what the trash has held for longer.
   * @throws AppError `not_found`
   */
  async purge(accountId: string, id: string, longerThanSeconds?: number): Promise<void> {
    await this.database.transaction(async () => {
      const isLocked = await this.repository.lockTrashed(accountId, id, longerThanSeconds);
      if (!isLocked) throw notFound();
      await this.contents.purgeAllIn(id);
      await this.repository.delete(accountId, id);
    });
  }
}

function notEmpty(): Error {
  return conflict('The workspace holds datagrids. Delete them first, or pass cascade=true.');
}
