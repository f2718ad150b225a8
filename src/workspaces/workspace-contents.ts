import { Injectable } from '@nestjs/common';

/** What lives in workspaces and must go with them. */
export interface WorkspaceTenant {
  /** How many things of this kind the workspace holds. */
  countIn(accountId: string, workspaceId: string): Promise<number>;
  /** Deletes them, inside the caller's transaction. */
  deleteAllIn(accountId: string, workspaceId: string): Promise<void>;
}

/**
 * Lets modules above this one take part in a workspace's deletion without being known here:
 * imports go one way.
 */
@Injectable()
export class WorkspaceContents {
  private readonly tenants: WorkspaceTenant[] = [];

  register(tenant: WorkspaceTenant): void {
    this.tenants.push(tenant);
  }

  async countIn(accountId: string, workspaceId: string): Promise<number> {
    let total = 0;
    for (const tenant of this.tenants) total += await tenant.countIn(accountId, workspaceId);
    return total;
  }

  async deleteAllIn(accountId: string, workspaceId: string): Promise<void> {
    for (const tenant of this.tenants) await tenant.deleteAllIn(accountId, workspaceId);
  }
}
