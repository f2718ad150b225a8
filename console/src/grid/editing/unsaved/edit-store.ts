import type { CellEdit } from '../../cells/cell-edit';
import type { KnownRow } from '../../cells/known-row';
import { editableValue } from '../../cells/values/shown-value';
import type { Attempt, RowEdit, SendAttempt } from './row-edit';
import { afterOutcome, nextAttempt, withCells, withState, type ColumnTypes } from './row-saver';

/** Called with the saved row, and with the attempt that saved it. */
type Listener = (rowId: number, saved: KnownRow | null, attempt?: Attempt) => void;

/**
 * Unsaved edits of one datagrid. An edit is removed only when it is saved or the user discards it.
 * Rows are saved in parallel, and the changes of one row one after another.
 */
export class EditStore {
  private readonly rows = new Map<number, RowEdit>();
  /** Attempts with an unknown outcome. They are sent again unchanged and applied once. */
  private readonly open = new Map<number, Attempt>();
  private readonly busy = new Set<number>();
  /** Called when no row is being saved any longer. */
  private readonly waiting: (() => void)[] = [];
  /** Rows to save again after the current request. */
  private readonly wanted = new Set<number>();
  private readonly listeners = new Set<Listener>();
  private list: readonly RowEdit[] = [];

  constructor(
    private readonly send: SendAttempt,
    private columns: ColumnTypes,
  ) {}

  setColumns(columns: ColumnTypes): void {
    this.columns = columns;
  }

  /** @returns a function that removes the listener. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns all rows with unsaved edits: the same array until an edit changes. */
  readonly all = (): readonly RowEdit[] => this.list;

  cell(rowId: number, key: string): CellEdit | undefined {
    return this.rows.get(rowId)?.cells.get(key);
  }

  /** Stores an input and starts to save it. */
  type(row: KnownRow, key: string, typed: string): void {
    const edit: RowEdit = this.rows.get(row.id) ?? { base: row, cells: new Map() };
    const before = edit.cells.get(key);
    const column = this.columns.get(key);
    const isBack =
      column !== undefined &&
      !this.mayBeMade(row.id) &&
      typed === editableValue(column, edit.base.values[key]);
    const state = edit.theirs === undefined ? 'waiting' : 'conflict';
    const next = isBack ? null : ({ typed, state, message: before?.message ?? '' } as const);
    this.put(row.id, withCells(edit, [[key, next]]));
    void this.save(row.id);
  }

  /** Retries unsaved edits that were not rejected, of one row or of all. */
  retry(rowId?: number): void {
    for (const [id, edit] of this.rows) {
      if (rowId !== undefined && rowId !== id) continue;
      // An attempt with an unknown outcome is sent first, alone and unchanged.
      this.put(id, this.open.has(id) ? edit : withState(edit, ['unsaved'], 'waiting'));
      void this.save(id);
    }
  }

  /** Discards the edits of one cell or of the whole row. */
  discard(rowId: number, key?: string): void {
    const edit = this.rows.get(rowId);
    if (!edit || this.busy.has(rowId)) return;
    // Do not resend an attempt whose response was lost. The version of the row shows if it was applied.
    this.open.delete(rowId);
    const keys = key === undefined ? [...edit.cells.keys()] : [key];
    this.put(
      rowId,
      withCells(
        edit,
        keys.map((one) => [one, null]),
      ),
      edit.theirs ?? null,
    );
  }

  /** Overwrites the current row with the user's values. */
  keepMine(rowId: number): void {
    const edit = this.rows.get(rowId);
    if (!edit?.theirs) return;
    const { cells } = withState(edit, ['conflict'], 'waiting');
    this.put(rowId, { base: edit.theirs, cells });
    void this.save(rowId);
  }

  /** Resolves when no row is being saved. Edits that could not be saved do not count. */
  async settled(): Promise<void> {
    if (this.busy.size === 0) return;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Returns true if an earlier edit may already have been applied, or may still be. */
  private mayBeMade(rowId: number): boolean {
    return this.busy.has(rowId) || this.open.has(rowId);
  }

  private async save(rowId: number): Promise<void> {
    this.wanted.add(rowId);
    if (this.busy.has(rowId)) return;
    this.busy.add(rowId);
    try {
      while (this.wanted.delete(rowId)) {
        while (await this.saveOnce(rowId));
      }
    } finally {
      this.busy.delete(rowId);
      if (this.busy.size === 0) for (const resolve of this.waiting.splice(0)) resolve();
    }
  }

  /** @returns true if there may be more to send. */
  private async saveOnce(rowId: number): Promise<boolean> {
    const before = this.rows.get(rowId);
    if (!before || before.theirs !== undefined) return false;
    const { edit, attempt } = this.attemptOf(rowId, before);
    this.put(rowId, edit);
    if (!attempt) return false;
    const outcome = await this.send(attempt);
    if (outcome.kind === 'unknown') this.open.set(rowId, attempt);
    else this.open.delete(rowId);
    const now = this.rows.get(rowId) ?? edit;
    const saved = outcome.kind === 'saved' ? outcome.row : null;
    this.put(rowId, afterOutcome(now, attempt, outcome), saved, attempt);
    return outcome.kind !== 'unknown';
  }

  private attemptOf(rowId: number, edit: RowEdit): { edit: RowEdit; attempt: Attempt | null } {
    const attempt = this.open.get(rowId);
    if (!attempt) return nextAttempt(edit, this.columns);
    const sent = [...edit.cells].filter(
      ([key, cell]) => attempt.values.has(key) && cell.state === 'unsaved',
    );
    const changes = sent.map(([key, cell]) => [key, { ...cell, state: 'saving' }] as const);
    return { edit: withCells(edit, changes), attempt };
  }

  private put(
    rowId: number,
    edit: RowEdit,
    saved: KnownRow | null = null,
    attempt?: Attempt,
  ): void {
    if (edit.cells.size > 0) this.rows.set(rowId, edit);
    else this.rows.delete(rowId);
    this.list = [...this.rows.values()];
    for (const listener of this.listeners) listener(rowId, saved, attempt);
  }
}
