import { Injectable } from '@nestjs/common';
import { ChangeSignal } from '../datagrids/change-log/change-signal';

/**
 * Minimum time between two wake-ups for the same resource, for each of its waiting readers. 10,000
 * readers of a datagrid that is written without pause are woken twice a second.
 */
const GAP_MS_PER_READER = 0.05;

/** What a reader has seen of a resource. It differs from the current state after every change. */
export type WatchState = number | string;

/** A reader of a resource. */
export interface WatchReader {
  /** State up to which it has read, while it waits. */
  readonly state: WatchState | undefined;
  /** Called when the resource may have changed, whether the reader waits or not. */
  wake(): void;
}

/** A resource that readers wait for. */
interface Watched {
  readonly accountId: string;
  readonly readers: Set<WatchReader>;
  /** Minimum time between two wake-ups because of what a read costs. */
  minGapMs: number;
  lastWakeMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** A reader's subscription to a resource. Remembers a change between two waits. */
export class ChangeSubscription implements WatchReader {
  private hasChanged = false;
  private onChange: (() => void) | undefined;
  /** State up to which the reader has read, while it waits. */
  state: WatchState | undefined;

  /** @param close Ends the subscription. */
  constructor(readonly close: () => void) {}

  /**
   * Waits until the resource changes, until `timeoutMs` have passed, or until the signal aborts.
   * Returns at once if it has changed since the last wait.
   * @returns whether it may have changed.
   */
  async wait(state: WatchState, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.hasChanged && !signal.aborted) {
      this.state = state;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          this.onChange = undefined;
          resolve();
        };
        const timer = setTimeout(end, timeoutMs).unref();
        signal.addEventListener('abort', end, { once: true });
        this.onChange = end;
      });
      this.state = undefined;
    }
    const { hasChanged } = this;
    this.hasChanged = false;
    return hasChanged;
  }

  wake(): void {
    this.hasChanged = true;
    this.onChange?.();
  }
}

/** Lets readers wait until a resource of one kind changes. */
export class Watch {
  private readonly watched = new Map<string, Watched>();

  /** Ids of the resources that readers wait for. */
  get ids(): string[] {
    return [...this.watched.keys()];
  }

  /** The resources that readers wait for, with their accounts. */
  get resources(): { readonly id: string; readonly accountId: string }[] {
    return [...this.watched].map(([id, { accountId }]) => ({ id, accountId }));
  }

  get isEmpty(): boolean {
    return this.watched.size === 0;
  }

  subscribe(accountId: string, id: string): ChangeSubscription {
    const subscription = new ChangeSubscription(() => {
      this.remove(id, subscription);
    });
    this.add(accountId, id, subscription);
    return subscription;
  }

  /** Wakes a reader after every change of a resource, until it is removed. */
  add(accountId: string, id: string, reader: WatchReader): void {
    const watched = this.watched.get(id) ?? newWatched(accountId);
    this.watched.set(id, watched);
    watched.readers.add(reader);
  }

  /** Removes a reader. Calling it again has no effect. */
  remove(id: string, reader: WatchReader): void {
    const watched = this.watched.get(id);
    if (watched?.readers.delete(reader) !== true || watched.readers.size > 0) return;
    clearTimeout(watched.timer);
    this.watched.delete(id);
  }

  /** Sets the minimum time between two wake-ups for a resource, if its reads are expensive. */
  pace(id: string, minGapMs: number): void {
    const watched = this.watched.get(id);
    if (watched) watched.minGapMs = minGapMs;
  }

  /** Wakes all readers of a resource, or does so later if it has just woken many. */
  wake(id: string): void {
    const watched = this.watched.get(id);
    if (!watched || watched.timer) return;
    const gapMs = Math.max(watched.minGapMs, GAP_MS_PER_READER * watched.readers.size);
    const delayMs = Math.max(0, watched.lastWakeMs + gapMs - performance.now());
    watched.timer = setTimeout(() => {
      watched.timer = undefined;
      watched.lastWakeMs = performance.now();
      for (const reader of watched.readers) reader.wake();
    }, delayMs).unref();
  }

  /** Wakes the readers of a resource if one of them waits at another state than this. */
  compare(id: string, current: WatchState | undefined): void {
    const hasOther = ({ state }: WatchReader): boolean => state !== undefined && state !== current;
    if ([...(this.watched.get(id)?.readers ?? [])].some(hasOther)) this.wake(id);
  }
}

function newWatched(accountId: string): Watched {
  return { accountId, readers: new Set(), minGapMs: 0, lastWakeMs: 0, timer: undefined };
}

/**
 * Lets readers wait until a datagrid, or any datagrid of a workspace, changes. A change that this
 * process commits wakes the readers of the datagrid at once; `WorkspaceWake` wakes those of its
 * workspace. `RevisionPoll` finds the changes of other processes.
 */
@Injectable()
export class ChangeWatch {
  readonly datagrids = new Watch();
  readonly workspaces = new Watch();

  constructor(signal: ChangeSignal) {
    signal.listen((datagridId) => {
      this.datagrids.wake(datagridId);
    });
  }
}
