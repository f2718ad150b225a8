import { Injectable } from '@nestjs/common';
import { ChangeWatch } from '../change-watch';
import { WorkspaceFeedRepository } from './workspace-feed.repository';

/**
 * Number of datagrids that a run looks at for each account, and one statement in all. If the
 * workspaces of an account have more, they take turns, and this account alone waits longer.
 */
const MAX_DATAGRIDS = 20_000;

/** Number of workspaces that one statement looks up. */
const MAX_WORKSPACES = 1_000;

/** Number of datagrids of a workspace that has not been looked up yet. */
const UNKNOWN_SIZE = 1_000;

/** Finds changes of workspaces that other processes have committed. */
@Injectable()
export class WorkspacePoll {
  /** Number of datagrids of each workspace, the one that was looked up longest ago first. */
  private sizes = new Map<string, number>();
  /** Number of datagrids that the last run looked at for each account, and that it still owed. */
  private used = new Map<string, number>();

  constructor(
    private readonly watch: ChangeWatch,
    private readonly repository: WorkspaceFeedRepository,
  ) {}

  /** @returns the number of workspaces that were looked up. */
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
      const size = 1 + (this.sizes.get(id) ?? UNKNOWN_SIZE);
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
