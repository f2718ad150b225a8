import type { KnownRow } from '../../cells/known-row';

/** The rows whose checkboxes are checked, whether the grid has loaded them or not. */
export class RowChecks {
  private rows: ReadonlyMap<number, KnownRow> = new Map();
  private list: readonly KnownRow[] = [];
  private readonly listeners = new Set<() => void>();
  private onAll: ((isOn: boolean) => void) | undefined;

  /**
   * Sets what checks or unchecks all rows of the view, once the grid is ready.
   * @returns a function that removes it.
   */
  attach(onAll: (isOn: boolean) => void): () => void {
    this.onAll = onAll;
    return () => {
      this.onAll = undefined;
    };
  }

  /** Checks or unchecks all rows of the view. */
  setAll(isOn: boolean): void {
    this.onAll?.(isOn);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns the checked rows: the same array until it changes. */
  readonly current = (): readonly KnownRow[] => this.list;

  has(rowId: number): boolean {
    return this.rows.has(rowId);
  }

  /** Checks or unchecks some rows. */
  set(rows: readonly KnownRow[], isOn: boolean): void {
    const next = new Map(this.rows);
    for (const row of rows) {
      if (isOn) next.set(row.id, row);
      else next.delete(row.id);
    }
    this.replace([...next.values()]);
  }

  /** Checks these rows and no others. */
  replace(rows: readonly KnownRow[]): void {
    this.rows = new Map(rows.map((row) => [row.id, row]));
    this.list = rows;
    for (const listener of this.listeners) listener();
  }

  readonly clear = (): void => {
    if (this.list.length > 0) this.replace([]);
  };
}
