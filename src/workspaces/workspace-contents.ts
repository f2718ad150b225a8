import { Injectable } from '@nestjs/common';

/** What lives in workspaces and goes with them. All of it works inside the caller's transaction. */
export interface WorkspaceHooks {
  /** How many living things of this kind the workspace holds. */
  countIn(workspaceId: string): Promise<number>;
  /** Puts them into the trash, together with the workspace. */
  putAllIn(workspaceId: string): Promise<void>;
  /** Brings those back that went with the workspace, and no others. */
  restoreAllIn(accountId: string, workspaceId: string): Promise<void>;
  /** Takes away for good what of them the trash holds, however it came there. */
  purgeAllIn(workspaceId: string): Promise<void>;
}

/**
 * Lets modules above this one take part in a workspace's deletion without being known here:
 * imports go one way.
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
