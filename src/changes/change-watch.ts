import { Injectable } from '@nestjs/common';
import { ChangeSignal } from '../datagrids/change-log/change-signal';

/**
 * Minimum time between two wake-ups of the same datagrid, for each of its waiting readers. 10,000
 * readers of a datagrid that is written without pause are woken twice a second.
 */
const GAP_MS_PER_READER = 0.05;

/** A datagrid that readers wait for. */
interface Watched {
  readonly readers: Set<ChangeSubscription>;
  lastWakeMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** A reader's subscription to a datagrid. Remembers a change between two waits. */
export class ChangeSubscription {
  private hasChanged = false;
  private onChange: (() => void) | undefined;
  /** Revision up to which the reader has read, while it waits. */
  revision: number | undefined;

  /** @param close Ends the subscription. */
  constructor(readonly close: () => void) {}

  /**
   * Waits until the datagrid changes, until `timeoutMs` have passed, or until the signal aborts.
   * Returns at once if it has changed since the last wait.
   * @returns whether it may have changed.
   */
  async wait(revision: number, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.hasChanged && !signal.aborted) {
      this.revision = revision;
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
      this.revision = undefined;
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

/**
 * Lets readers wait until a datagrid changes. A change that this process commits wakes them at once.
 * `RevisionPoll` finds the changes of other processes.
 */
@Injectable()
export class ChangeWatch {
  private readonly watched = new Map<string, Watched>();

  constructor(signal: ChangeSignal) {
    signal.listen((datagridId) => {
      this.wake(datagridId);
    });
  }

  /** Ids of the datagrids that readers wait for. */
  get datagridIds(): string[] {
    return [...this.watched.keys()];
  }

  subscribe(datagridId: string): ChangeSubscription {
    const watched = this.watched.get(datagridId) ?? newWatched();
    this.watched.set(datagridId, watched);
    const subscription = new ChangeSubscription(() => {
      watched.readers.delete(subscription);
      if (watched.readers.size > 0 || this.watched.get(datagridId) !== watched) return;
      clearTimeout(watched.timer);
      this.watched.delete(datagridId);
    });
    watched.readers.add(subscription);
    return subscription;
  }

  /** Wakes all readers of a datagrid, or does so later if it has just woken many. */
  private wake(datagridId: string): void {
    const watched = this.watched.get(datagridId);
    if (!watched || watched.timer) return;
    const gapMs = GAP_MS_PER_READER * watched.readers.size;
    const delayMs = Math.max(0, watched.lastWakeMs + gapMs - performance.now());
    watched.timer = setTimeout(() => {
      watched.timer = undefined;
      watched.lastWakeMs = performance.now();
      for (const reader of watched.readers) reader.wake();
    }, delayMs).unref();
  }

  /** Wakes the readers of a datagrid if one of them waits at another revision than this. */
  compare(datagridId: string, current: number | undefined): void {
    const hasOther = ({ revision }: ChangeSubscription): boolean =>
      revision !== undefined && revision !== current;
    if ([...(this.watched.get(datagridId)?.readers ?? [])].some(hasOther)) this.wake(datagridId);
  }
}

const newWatched = (): Watched => ({ readers: new Set(), lastWakeMs: 0, timer: undefined });
