import { randomKey } from '../../../api/attempt-key';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { CellEdit, CellState } from '../../cells/cell-edit';
import type { KnownRow } from '../../cells/known-row';
import { typedJson } from '../../cells/values/typed-value';
import type { Attempt, Outcome, RowEdit } from './row-edit';

export type ColumnTypes = ReadonlyMap<string, Pick<Column, 'type'>>;

/** Attempts to save an edit of a row that others change all the time, before the user decides. */
const MAX_REBASES = 10;

/** Returns the row with changed states of some cells. */
export function withCells(
  edit: RowEdit,
  changes: Iterable<readonly [string, CellEdit | null]>,
): RowEdit {
  const cells = new Map(edit.cells);
  for (const [key, cell] of changes) {
    if (cell === null) cells.delete(key);
    else cells.set(key, cell);
  }
  return { ...edit, cells };
}

/** Returns the row with another state for all cells that have one of the states `from`. */
export function withState(
  edit: RowEdit,
  from: readonly CellState[],
  state: CellState,
  message = '',
): RowEdit {
  const changed = [...edit.cells].filter(([, cell]) => from.includes(cell.state));
  return withCells(
    edit,
    changed.map(([key, cell]) => [key, { ...cell, state, message }]),
  );
}

/**
 * Prepares the waiting cells of a row for sending, and rejects inputs that cannot be sent.
 * @returns the changed row, and the attempt, or `null` if there is nothing to send.
 */
export function nextAttempt(
  edit: RowEdit,
  columns: ColumnTypes,
): { readonly edit: RowEdit; readonly attempt: Attempt | null } {
  const values = new Map<string, string>();
  const changes: [string, CellEdit][] = [];
  for (const [key, cell] of edit.cells) {
    if (cell.state !== 'waiting') continue;
    const column = columns.get(key);
    const typed = column
      ? typedJson(column, cell.typed)
      : { ok: false as const, message: gridText.edits.noColumn };
    if (typed.ok) {
      values.set(key, typed.json);
      changes.push([key, { ...cell, state: 'saving', message: '' }]);
    } else {
      changes.push([key, { ...cell, state: 'rejected', message: typed.message }]);
    }
  }
  const attempt = { base: edit.base, values, idempotencyKey: randomKey() };
  return { edit: withCells(edit, changes), attempt: values.size > 0 ? attempt : null };
}

/** Returns the row after the response to an attempt. Cells edited since keep their input. */
export function afterOutcome(edit: RowEdit, attempt: Attempt, outcome: Outcome): RowEdit {
  switch (outcome.kind) {
    case 'saved':
      return withoutSent({ ...edit, base: outcome.row, rebases: 0 });
    case 'unknown':
      return withState(edit, ['saving'], 'unsaved', outcome.message);
    case 'rejected':
      return afterRejection(edit, outcome);
    case 'outdated':
      return afterChange(edit, attempt, outcome.theirs);
  }
}

/**
 * Returns the row after a rejection, in which no value was written. Values without a message are
 * sent again, without the rejected ones.
 */
function afterRejection(edit: RowEdit, outcome: Outcome & { kind: 'rejected' }): RowEdit {
  const sent = [...edit.cells].filter(([, cell]) => cell.state === 'saving');
  const isNamed = sent.some(([key]) => outcome.fields.has(key));
  return withCells(
    edit,
    sent.map(([key, cell]) => {
      const message = outcome.fields.get(key) ?? (isNamed ? undefined : outcome.message);
      if (message === undefined) return [key, { ...cell, state: 'waiting' }];
      return [key, { ...cell, state: 'rejected', message }];
    }),
  );
}

function afterChange(edit: RowEdit, attempt: Attempt, theirs: KnownRow | null): RowEdit {
  // Only the columns have changed, not the row: there is no conflict.
  const { base } = attempt;
  if (theirs?.revision === base.revision && theirs.schemaVersion !== base.schemaVersion) {
    return withState({ ...edit, base: theirs }, ['saving'], 'waiting');
  }
  // An earlier attempt was applied and its response lost, or another user wrote the same values.
  if (theirs !== null && holds(theirs, attempt.values)) {
    return withoutSent({ ...edit, base: theirs });
  }
  // Somebody else changed other columns of the row.
  const { rebases = 0 } = edit;
  const isSame =
    theirs?.schemaVersion === base.schemaVersion && isSameIn(edit.cells.keys(), base, theirs);
  if (isSame && rebases < MAX_REBASES) {
    return withState({ ...edit, base: theirs, rebases: rebases + 1 }, ['saving'], 'waiting');
  }
  return {
    ...withState(edit, ['saving', 'waiting'], 'conflict', gridText.edits.othersChanged),
    theirs,
  };
}

function withoutSent(edit: RowEdit): RowEdit {
  const sent = [...edit.cells].filter(([, cell]) => cell.state === 'saving');
  return withCells(
    edit,
    sent.map(([key]) => [key, null]),
  );
}

/** Returns true if two versions of a row have the same values in some columns. */
function isSameIn(keys: Iterable<string>, one: KnownRow, other: KnownRow): boolean {
  return [...keys].every(
    (key) => JSON.stringify(one.values[key] ?? null) === JSON.stringify(other.values[key] ?? null),
  );
}

/** Returns true if the row already has these values. */
function holds(row: KnownRow, values: ReadonlyMap<string, string>): boolean {
  return [...values].every(
    ([key, json]) =>
      JSON.stringify(row.values[key] ?? null) === JSON.stringify(JSON.parse(json) ?? null),
  );
}
