import type { KnownRow } from '../../cells/known-row';

/** One value that an action changed, as JSON texts. */
export interface CellStep {
  readonly rowId: number;
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

/** A column that an action removed or restored. */
export interface ColumnStep {
  /** Id of the column in the trash. It stays the same. */
  readonly id: number;
  readonly key: string;
  readonly isRemoved: boolean;
}

/** What one action of the user changed. */
export interface Step {
  /** What was done, such as `Paste`. */
  readonly name: string;
  readonly cells: readonly CellStep[];
  /** Rows that the action created. */
  readonly created: readonly KnownRow[];
  /** Rows that the action deleted. */
  readonly deleted: readonly KnownRow[];
  readonly columns: readonly ColumnStep[];
}

/** Members of a step without changes. */
export const NO_STEP = { cells: [], created: [], deleted: [], columns: [] } as const;

const MAX_STEPS = 100;

export type Direction = 'undo' | 'redo';

/** Actions of this visit of the page that can be undone, and undone ones that can be redone. */
export class UndoStack {
  private done: readonly Step[] = [];
  private undone: readonly Step[] = [];
  private readonly changes = new Set<() => void>();
  private readonly listeners = new Set<(step: Step) => void>();
  private readonly requests = new Set<(direction: Direction) => void>();

  /** Returns whether there is an action to undo or to redo. */
  has(direction: Direction): boolean {
    return (direction === 'undo' ? this.done : this.undone).length > 0;
  }

  /** Calls the listener when `has` may return something else. @returns a function that stops. */
  readonly followChanges = (listener: () => void): (() => void) => {
    this.changes.add(listener);
    return () => {
      this.changes.delete(listener);
    };
  };

  /** Asks for the last action to be undone or redone, as the keys do. */
  request(direction: Direction): void {
    for (const listener of this.requests) listener(direction);
  }

  /** Calls the listener with each request. @returns a function that stops. */
  followRequests(listener: (direction: Direction) => void): () => void {
    this.requests.add(listener);
    return () => {
      this.requests.delete(listener);
    };
  }

  /** Adds an action. Undone actions can then no longer be redone. */
  push(step: Step): void {
    const { cells, created, deleted, columns } = step;
    if (cells.length + created.length + deleted.length + columns.length === 0) return;
    this.set([...this.done, step].slice(-MAX_STEPS), []);
  }

  /** Adds an action, and tells the user that it can be undone. */
  announce(step: Step): void {
    this.push(step);
    for (const listener of this.listeners) listener(step);
  }

  /** Calls the listener with each action to tell the user about. @returns a function that stops. */
  subscribe(listener: (step: Step) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Removes and returns an action to undo: that one if it was not undone yet, or the last. */
  takeUndo(one: Step | undefined = this.done.at(-1)): Step | undefined {
    if (!one || !this.done.includes(one)) return undefined;
    this.set(
      this.done.filter((step) => step !== one),
      this.undone,
    );
    return one;
  }

  takeRedo(): Step | undefined {
    const step = this.undone.at(-1);
    this.set(this.done, this.undone.slice(0, -1));
    return step;
  }

  /** Adds an action that was undone. */
  pushUndone(step: Step): void {
    this.set(this.done, [...this.undone, step]);
  }

  /** Adds an action that was redone, or could not be undone. */
  pushDone(step: Step): void {
    this.set([...this.done, step], this.undone);
  }

  private set(done: readonly Step[], undone: readonly Step[]): void {
    this.done = done;
    this.undone = undone;
    for (const listener of this.changes) listener();
  }
}

/** Returns the JSON text of a value; `null` for none. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** Returns the values that a write changed, of the columns that it wrote. */
export function stepsBetween(
  before: KnownRow,
  after: KnownRow,
  keys: Iterable<string>,
): CellStep[] {
  return [...keys]
    .map((key) => ({
      rowId: after.id,
      key,
      before: jsonText(before.values[key]),
      after: jsonText(after.values[key]),
    }))
    .filter((cell) => cell.before !== cell.after);
}
