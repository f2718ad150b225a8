import { randomKey } from '../../api/attempt-key';
import type { Column } from '../../datagrids/datagrid';
import { typedJson } from '../values/typed-value';
import type { Attempt, CellEdit, CellState, KnownRow, Outcome, RowEdit } from './row-edit';

export type ColumnTypes = ReadonlyMap<string, Pick<Column, 'type'>>;

/** The row with other states for some of its cells. */
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

/** The row with all cells of some states in another one. */
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
 * What to send of a row next: every cell that waits. What cannot be sent at all is refused here.
 *
 * @returns No attempt where nothing is left to send.
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
      : { ok: false as const, message: 'This column is no longer there.' };
    if (typed.ok) {
      values.set(key, typed.json);
      changes.push([key, { ...cell, state: 'saving', message: '' }]);
    } else {
      changes.push([key, { ...cell, state: 'refused', message: typed.message }]);
    }
  }
  const attempt = { base: edit.base, values, idempotencyKey: randomKey() };
  return { edit: withCells(edit, changes), attempt: values.size > 0 ? attempt : null };
}

/** The row after the answer to an attempt, with the cells typed meanwhile as they are. */
export function afterOutcome(edit: RowEdit, attempt: Attempt, outcome: Outcome): RowEdit {
  switch (outcome.kind) {
    case 'saved':
      return withoutSent({ ...edit, base: outcome.row });
    case 'unknown':
      return withState(edit, ['saving'], 'unsaved', outcome.message);
    case 'refused':
      return afterRefusal(edit, outcome);
    case 'moved':
      return afterMove(edit, attempt, outcome.theirs);
  }
}

/** None of the values was written. Those that nothing is said about go again, without the others. */
function afterRefusal(edit: RowEdit, outcome: Outcome & { kind: 'refused' }): RowEdit {
  const sent = [...edit.cells].filter(([, cell]) => cell.state === 'saving');
  const isNamed = sent.some(([key]) => outcome.fields.has(key));
  return withCells(
    edit,
    sent.map(([key, cell]) => {
      const message = outcome.fields.get(key) ?? (isNamed ? undefined : outcome.message);
      if (message === undefined) return [key, { ...cell, state: 'waiting' }];
      return [key, { ...cell, state: 'refused', message }];
    }),
  );
}

function afterMove(edit: RowEdit, attempt: Attempt, theirs: KnownRow | null): RowEdit {
  // The columns have moved on and the row has not: nobody's change is met.
  const { base } = attempt;
  if (theirs?.revision === base.revision && theirs.schemaVersion !== base.schemaVersion) {
    return withState({ ...edit, base: theirs }, ['saving'], 'waiting');
  }
  // An earlier attempt whose answer got lost, or somebody with the same idea.
  if (theirs !== null && holds(theirs, attempt.values)) {
    return withoutSent({ ...edit, base: theirs });
  }
  return {
    ...withState(edit, ['saving', 'waiting'], 'conflict', 'Somebody else changed this row.'),
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

/** Whether the row has these values already. */
function holds(row: KnownRow, values: ReadonlyMap<string, string>): boolean {
  return [...values].every(
    ([key, json]) =>
      JSON.stringify(row.values[key] ?? null) === JSON.stringify(JSON.parse(json) ?? null),
  );
}
