import { Injectable } from '@nestjs/common';

/**
 * Hooks of modules whose objects are in workspaces and are deleted with them. All methods run
 * inside the caller's transaction.
 */
export interface WorkspaceHooks {
  /** Returns the number of objects in the workspace that are not in the trash. */
  countIn(workspaceId: string): Promise<number>;
  /** Moves the objects into the trash together with the workspace. */
  putAllIn(workspaceId: string): Promise<void>;
  /** Restores the objects that were deleted with the workspace, and no others. */
  restoreAllIn(accountId: string, workspaceId: string): Promise<void>;
  /**
   * Permanently deletes the workspace's objects in the trash, including those deleted on their own.
   */
  purgeAllIn(workspaceId: string): Promise<void>;
}

/**
 * Calls the hooks of other modules when a workspace is deleted, restored or purged. Those modules
 * import this one, not the reverse.
 */
@Injectable()
export class WorkspaceContents implements WorkspaceHooks {
  private readonly hooks: WorkspaceHooks[] = [];

  register(hook: WorkspaceHooks): void {
    this.hooks.push(hook);
  }

  async countIn(workspaceId: string): Promise<number> {
    let total = 0;
    for (const hook of this.hooks) total += await hook.countIn(workspaceId);
    return total;
  }

  async putAllIn(workspaceId: string): Promise<void> {
    for (const hook of this.hooks) await hook.putAllIn(workspaceId);
  }

  async restoreAllIn(accountId: string, workspaceId: string): Promise<void> {
    for (const hook of this.hooks) await hook.restoreAllIn(accountId, workspaceId);
  }

  async purgeAllIn(workspaceId: string): Promise<void> {
    for (const hook of this.hooks) await hook.purgeAllIn(workspaceId);
  }
}
