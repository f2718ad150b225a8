import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/audit-action';

/**
 * Hooks of the module whose objects are in workspaces and are deleted with them. All methods run
 * inside the caller's transaction.
 */
export interface WorkspaceHooks {
  /** Returns the number of objects in the workspace that are not in the trash. */
  countIn(workspaceId: string): Promise<number>;
  /** Moves the objects into the trash together with the workspace. */
  putAllIn(workspaceId: string, by: Actor): Promise<void>;
  /** Restores the objects that were deleted with the workspace, and no others. */
  restoreAllIn(accountId: string, workspaceId: string, by: Actor): Promise<void>;
  /**
   * Permanently deletes the workspace's objects in the trash, including those deleted on their own.
   */
  purgeAllIn(workspaceId: string): Promise<void>;
}

/** Called inside the transaction that purges a workspace, before anything is deleted. */
export type BeforeWorkspacePurge = (
  accountId: string,
  workspaceId: string,
  by: Actor,
) => Promise<void>;

/**
 * The contents of workspaces, for deleting, restoring and purging a workspace. The module of the
 * contents imports this one, not the reverse, so it registers its hooks when it starts.
 */
@Injectable()
export class WorkspaceContents {
  private registered: WorkspaceHooks | undefined;
  private readonly beforePurges: BeforeWorkspacePurge[] = [];

  register(hooks: WorkspaceHooks): void {
    this.registered = hooks;
  }

  registerBeforePurge(listener: BeforeWorkspacePurge): void {
    this.beforePurges.push(listener);
  }

  async beforePurge(accountId: string, workspaceId: string, by: Actor): Promise<void> {
    for (const listener of this.beforePurges) await listener(accountId, workspaceId, by);
  }

  get hooks(): WorkspaceHooks {
    if (!this.registered) throw new Error('No module has registered the contents of workspaces.');
    return this.registered;
  }
}
