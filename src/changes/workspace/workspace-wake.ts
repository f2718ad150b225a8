import { Injectable } from '@nestjs/common';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import { Logger } from '../../platform/logging/logger';
import { ChangeWatch } from '../change-watch';
import { WorkspaceFeedRepository } from './workspace-feed.repository';

/** Number of datagrids whose workspaces are remembered. */
const MAX_KNOWN = 20_000;

/**
 * Wakes the readers of a workspace as soon as this process has committed a change of one of its
 * datagrids. Writers do not name the workspace. It is looked up, once for each datagrid, and only
 * while somebody waits for a workspace.
 */
@Injectable()
export class WorkspaceWake {
  /** Workspaces of datagrids, the one that was looked up first at the beginning. */
  private readonly known = new Map<string, string>();
  private unknown = new Set<string>();
  private lookup: Promise<void> | undefined;

  constructor(
    signal: ChangeSignal,
    private readonly watch: ChangeWatch,
    private readonly repository: WorkspaceFeedRepository,
    private readonly logger: Logger,
  ) {
    signal.listen((datagridId) => {
      if (!watch.workspaces.isEmpty) this.wake(datagridId);
    });
  }

  private wake(datagridId: string): void {
    const workspaceId = this.known.get(datagridId);
    if (workspaceId !== undefined) {
      this.watch.workspaces.wake(workspaceId);
      return;
    }
    this.unknown.add(datagridId);
    this.lookup ??= this.lookUp().finally(() => {
      this.lookup = undefined;
    });
  }

  private async lookUp(): Promise<void> {
    while (this.unknown.size > 0) {
      const ids = [...this.unknown];
      this.unknown = new Set();
      try {
        for (const { datagridId, workspaceId } of await this.repository.listWorkspaces(ids)) {
          this.known.set(datagridId, workspaceId);
          this.watch.workspaces.wake(workspaceId);
        }
      } catch (err) {
        // The poll finds the change.
        this.logger.pino.warn({ err }, 'workspace lookup failed');
      }
      for (const id of this.known.keys()) {
        if (this.known.size <= MAX_KNOWN) break;
        this.known.delete(id);
      }
    }
  }
}
