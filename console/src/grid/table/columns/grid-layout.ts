import type { ColDef, ColumnMovedEvent, ColumnResizedEvent } from 'ag-grid-community';
import type { Column } from '../../../datagrids/datagrid';
import type { KnownRow } from '../../cells/known-row';
import type { Layout, LayoutColumn } from './layout';
import { summariesOf, type SummarizedColumn } from './summary';

/** Returns the definition of a column at its place in the layout. */
export function placed(
  definition: ColDef<KnownRow>,
  { width, hidden, pinned }: LayoutColumn,
): ColDef<KnownRow> {
  return {
    ...definition,
    hide: hidden === true,
    pinned: pinned ?? null,
    ...(width !== undefined && { width }),
  };
}

/** Returns all columns of a datagrid in the order of display, including hidden ones. */
export function inOrder(columns: readonly Column[], layout: Layout): Column[] {
  return layout.flatMap(({ key }) => columns.find((column) => column.key === key) ?? []);
}

/** Returns the visible columns of a datagrid in the order of display. */
export function visibleColumns(columns: readonly Column[], layout: Layout): Column[] {
  const pinned = (side?: string): Column[] =>
    layout
      .filter((place) => place.hidden !== true && place.pinned === side)
      .flatMap(({ key }) => columns.find((column) => column.key === key) ?? []);
  return [...pinned('left'), ...pinned(), ...pinned('right')];
}

/** Returns the columns of a layout with a function that takes their values. */
export function summarizedIn(columns: readonly Column[], layout: Layout): SummarizedColumn[] {
  return layout.flatMap(({ key, hidden, summary }) => {
    const column = columns.find((one) => one.key === key);
    if (!column || hidden === true || summary === undefined) return [];
    return summariesOf(column).includes(summary) ? [{ column, summary }] : [];
  });
}

/** Sources of events of columns that the user moves or resizes. */
const DRAGS: ReadonlySet<string> = new Set(['uiColumnMoved', 'uiColumnResized', 'autosizeColumns']);

/**
 * Returns the layout to which the user has dragged the columns of the grid; undefined if the user
 * has not moved or resized any, or still does.
 */
export function draggedLayout(
  { api, finished, source }: ColumnMovedEvent | ColumnResizedEvent,
  layout: Layout,
): LayoutColumn[] | undefined {
  if (!finished || !DRAGS.has(source)) return undefined;
  return api.getColumnState().flatMap(({ colId, width, hide, pinned }): LayoutColumn[] => {
    const before = layout.find(({ key }) => key === colId);
    if (!before) return [];
    const isResized =
      before.width !== undefined || width !== api.getColumn(colId)?.getColDef().width;
    return [
      {
        key: colId,
        ...(isResized && width != null && { width }),
        ...(hide === true && { hidden: true }),
        ...((pinned === 'left' || pinned === 'right') && { pinned }),
        ...(before.summary && { summary: before.summary }),
      },
    ];
  });
}
