import { Injectable } from '@nestjs/common';
import { ChangeWatch } from '../change-watch';
import { WorkspaceFeedRepository } from './workspace-feed.repository';

/**
 * Maximum number of datagrids that a run reads for each account, and that one statement reads. If the
 * workspaces of an account have more, they take turns, and only this account waits longer.
 */
const MAX_DATAGRIDS = 20_000;

/** Maximum number of workspaces that one statement reads. */
const MAX_WORKSPACES = 1_000;

/** Assumed number of datagrids of a workspace that has not been read yet. */
const ASSUMED_SIZE = 1_000;

/** Finds changes of workspaces that other processes have committed. */
@Injectable()
export class WorkspacePoll {
  /** Number of datagrids of each workspace, the one that was read longest ago first. */
  private sizes = new Map<string, number>();
  /** Number of datagrids that the run has read for each account, with what the account still owed. */
  private used = new Map<string, number>();

  constructor(
    private readonly watch: ChangeWatch,
    private readonly repository: WorkspaceFeedRepository,
  ) {}

  /** Wakes the readers of workspaces that have changed. @returns the number of workspaces read. */
  async poll(): Promise<number> {
    let polled = 0;
    for (const ids of this.steps()) {
      const found = await this.repository.listStates(ids);
      for (const id of ids) {
        const state = found.get(id);
        this.sizes.delete(id);
        this.sizes.set(id, state?.total ?? 0);
        this.watch.workspaces.compare(id, state?.state);
      }
      polled += ids.length;
    }
    return polled;
  }

  /** Returns the workspaces of this run, in steps of one statement each. */
  private steps(): string[][] {
    const watched = new Map(
      this.watch.workspaces.resources.map(({ id, accountId }) => [id, accountId]),
    );
    const known = [...this.sizes].filter(([id]) => watched.has(id));
    this.sizes = new Map(known);
    const isNew = (id: string): boolean => !this.sizes.has(id);
    const inTurn = [...[...watched.keys()].filter(isNew), ...this.sizes.keys()];
    this.startRun();
    const steps: string[][] = [];
    let [step, stepSize]: [string[], number] = [[], 0];
    for (const id of inTurn) {
      const size = 1 + (this.sizes.get(id) ?? ASSUMED_SIZE);
      const accountId = watched.get(id) ?? '';
      const ofAccount = this.used.get(accountId) ?? 0;
      // A larger workspace has a turn of its own, for which its account then waits.
      if (ofAccount > 0 && ofAccount + size > MAX_DATAGRIDS) continue;
      this.used.set(accountId, ofAccount + size);
      if (step.length === MAX_WORKSPACES || stepSize + size > MAX_DATAGRIDS) {
        if (step.length > 0) steps.push(step);
        [step, stepSize] = [[], 0];
      }
      step.push(id);
      stepSize += size;
    }
    return step.length > 0 ? [...steps, step] : steps;
  }

  /** Gives each account a new share. What it used beyond the last one is deducted. */
  private startRun(): void {
    const owed = [...this.used]
      .map(([accountId, count]) => [accountId, count - MAX_DATAGRIDS] as const)
      .filter(([, count]) => count > 0);
    this.used = new Map(owed);
  }
}
