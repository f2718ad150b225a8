import type { GridApi } from 'ag-grid-community';
import type { KnownRow } from '../../cells/known-row';
import { CHECK_COLUMN_ID } from '../../table/columns/column-ids';
import { cellOf } from '../../table/ranges/grid-positions';
import { CHECKBOX_CLASS, CHECKED_CLASS } from './check-cell';
import type { RowChecks } from './row-checks';

/**
 * Checks rows with a click on their cell of the checkboxes or with Space there; with Shift all rows
 * from the last one on.
 * @param onRange Checks or unchecks the rows from one index to another one.
 * @returns a function that stops it.
 */
export function followChecks(
  root: HTMLElement,
  api: GridApi<KnownRow>,
  checks: RowChecks,
  onRange: (from: number, to: number, isOn: boolean) => void,
): () => void {
  /** Index of the row that was checked or unchecked last. */
  let anchor: number | undefined;

  /** Returns whether a row is at the element. */
  const toggleAt = (element: EventTarget | null, isRange: boolean): boolean => {
    const cell = element instanceof Element ? cellOf(api, element) : undefined;
    if (cell?.columnId !== CHECK_COLUMN_ID) return false;
    const row = api.getDisplayedRowAtIndex(cell.row)?.data;
    if (!row) return false;
    const isOn = !checks.has(row.id);
    if (isRange && anchor !== undefined) onRange(anchor, cell.row, isOn);
    else checks.set([row], isOn);
    anchor = cell.row;
    return true;
  };
  const onClick = (event: MouseEvent): void => {
    toggleAt(event.target, event.shiftKey);
  };
  const onKey = (event: KeyboardEvent): void => {
    const { target, key } = event;
    const isCell = target instanceof Element && target.matches(`.ag-cell, .${CHECKBOX_CLASS}`);
    if (key !== ' ' || !isCell || !toggleAt(target, event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const draw = (): void => {
    if (api.isDestroyed()) return;
    if (checks.current().length === 0) anchor = undefined;
    // A checkbox that the browser has toggled may have the value that it had before.
    api.refreshCells({ columns: [CHECK_COLUMN_ID], force: true });
    for (const row of root.querySelectorAll('.ag-row[row-id]')) {
      row.classList.toggle(CHECKED_CLASS, checks.has(Number(row.getAttribute('row-id'))));
    }
  };

  root.addEventListener('click', onClick);
  root.addEventListener('keydown', onKey, { capture: true });
  const stop = checks.subscribe(draw);
  return () => {
    stop();
    root.removeEventListener('click', onClick);
    root.removeEventListener('keydown', onKey, { capture: true });
  };
}
