import type {
  ColDef,
  ColumnMovedEvent,
  ColumnResizedEvent,
  GridApi,
  GridReadyEvent,
  RowClassRules,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Column, Datagrid } from '../datagrids/datagrid';
import { storedColumns } from '../datagrids/stored-columns';
import { CSP_NONCE } from '../nonce';
import { gridText } from '../text/grid-text';
import { NO_STEP, type UndoStack } from './editing/undo/undo-stack';
import { useBlocks } from './editing/blocks/use-blocks';
import { showExpandButton } from './row/expand-button';
import { openColumn } from './row/open-cell';
import { RowCard } from './row/row-card';
import type { LiveRows } from './data/changes/live-rows';
import { useAuthorNames } from './data/changes/use-author-names';
import { CHECKED_CLASS, checkColumn } from './editing/checks/check-cell';
import type { RowChecks } from './editing/checks/row-checks';
import { SelectionBar } from './editing/checks/selection-bar';
import { useChecks } from './editing/checks/use-checks';
import type { EditStore } from './editing/unsaved/edit-store';
import { useSavedRows } from './editing/unsaved/use-saved-rows';
import type { KnownRow } from './cells/known-row';
import type { OpenDialog } from './grid-dialogs';
import { RowColors } from './query/groups/row-colors';
import { useRowOfAddress } from './table/focus/use-row-of-address';
import { useLinkCells } from './cells/links/use-link-cells';
import { NewRowNote } from './editing/new-row/new-row-note';
import { showAddedRow } from './editing/new-row/show-added-row';
import { useNewRow } from './editing/new-row/use-new-row';
import { useRoomBelow } from './editing/new-row/use-room-below';
import { MAX_LIMIT } from './data/loading/row-page';
import type { RowQuery } from '../datagrids/row-query';
import { rowSource } from './data/loading/row-source';
import { RangeContext } from './table/ranges/column-selection';
import { rangeCommands } from './editing/blocks/range-commands';
import { RangeStatus } from './table/ranges/range-status';
import { RangeSelection } from './table/ranges/range-selection';
import { useRanges } from './table/ranges/use-ranges';
import { SummaryBar } from './table/summaries/summary-bar';
import { usePhone } from '../common/use-phone';
import {
  draggedLayout,
  inOrder,
  placed,
  summarizedIn,
  visibleColumns,
} from './table/columns/grid-layout';
import type { Layout } from './table/columns/layout';
import { DEFAULT_COLUMN, ID_COLUMN, numberColumn, valueColumn } from './table/column-defs';
import './table/grid.css';
import { focusRow } from './table/focus/focus-cell';
import { ALL_ROWS } from './query/filter/grid-view';
import { useGridActions } from './table/header/grid-actions';
import { followHeaderKeys, tabFromHeader } from './table/header/header-focus';
import { GRID_MODULES } from './table/grid-modules';
import { gridTheme } from './table/grid-theme';
import { titleTruncatedCells } from './table/truncated-cells';
import { useNewValues } from './table/use-new-values';
import { usePlace } from './table/focus/use-place';

export interface RowTableProps {
  readonly datagrid: Datagrid;
  readonly rowQuery: RowQuery;
  /** Column whose choices color the rows. */
  readonly colorBy: Column | undefined;
  /** All columns in the order of display. */
  readonly layout: Layout;
  readonly onArrange: (layout: Layout) => void;
  readonly edits: EditStore;
  readonly live: LiveRows;
  /** Actions that can be undone. */
  readonly steps: UndoStack;
  readonly checks: RowChecks;
  readonly mayEdit: boolean;
  /** True if rows could not be loaded, so that no placeholders are shown as loading. */
  readonly hasFailed: boolean;
  /** Opens a dialog for the checked rows. */
  readonly onOpen: (dialog: OpenDialog) => void;
  readonly onReady: (api: GridApi<KnownRow>) => void;
  readonly onTotal: (total: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Number of blocks of rows in memory. */
const KEPT_BLOCKS = 20;

/** Number of rows that are drawn above and below those in view: more of them slow scrolling. */
const ROW_BUFFER = 3;

/** Table of rows. Loads only the rows on the screen. */
export function RowTable(props: RowTableProps): ReactNode {
  const { datagrid, rowQuery, colorBy, layout, onArrange, edits, live } = props;
  const { steps, checks, mayEdit, hasFailed } = props;
  const { onOpen, onReady, onTotal, onFailure } = props;
  const { view: gridView, show } = useGridActions();
  /** Whether the next rows that are loaded end with an added one, which gets the focus. */
  const isAddedNext = useRef(false);
  const [api, setApi] = useState<GridApi<KnownRow>>();
  const { filter, sort, q, view } = rowQuery;
  const root = useRef<HTMLDivElement>(null);
  const [selection] = useState(() => new RangeSelection());
  const links = useLinkCells(api, datagrid.columns);
  const { titles, open: openPage } = links;
  const context = api && { api, datagrid, rowQuery, edits, selection };
  const blocks = useBlocks(root, context, live, steps, mayEdit);
  useChecks(root, context, checks);
  useRanges(root, api, selection, () =>
    rangeCommands({
      ...{ api, edits, columns: datagrid.columns, mayEdit, selection, blocks },
      open: openPage,
    }),
  );

  const newRow = useNewRow({
    root,
    api,
    datagrid,
    shown: storedColumns(visibleColumns(datagrid.columns, layout)),
    edits,
    mayEdit,
    onFocused: () => {
      selection.set(null);
    },
    undo: blocks.undo,
    redo: blocks.redo,
    onAdded: ({ id, values, revision }) => {
      // The undo of a created row does not read the version of the columns.
      const created = [{ id, values, revision, schemaVersion: 0 }];
      steps.push({ ...NO_STEP, name: gridText.newRow.step, created });
      live.reload();
      showAddedRow(api, datagrid.id, rowQuery, () => {
        isAddedNext.current = true;
        const { filter, sort, q, group } = ALL_ROWS;
        show({ ...gridView, filter, sort, q, group });
      });
    },
  });
  const { inputs } = newRow;
  useRoomBelow(root, api);

  /** Index of the row that is open as a card. */
  const [open, setOpen] = useState<number>();
  useRowOfAddress(datagrid.id, api, setOpen);
  const isPhone = usePhone();
  useEffect(
    () => (root.current && !isPhone ? showExpandButton(root.current, setOpen) : undefined),
    [isPhone],
  );
  const authors = useAuthorNames(api, datagrid.columns);
  const { rowCount } = datagrid;
  const columns = useMemo(
    (): ColDef<KnownRow>[] => [
      ...(mayEdit ? [checkColumn(checks, isPhone)] : []),
      isPhone ? openColumn(setOpen) : numberColumn(rowCount),
      ...layout.flatMap((place) => {
        const column = datagrid.columns.find(({ key }) => key === place.key);
        if (!column) return [];
        return placed(valueColumn(column, inputs, { mayEdit, isPhone, links, authors }), place);
      }),
      ID_COLUMN,
    ],
    [datagrid.columns, layout, inputs, mayEdit, isPhone, checks, links, authors, rowCount],
  );

  const [colors] = useState(() => new RowColors());
  const rowClasses = useMemo(
    (): RowClassRules<KnownRow> => ({
      ...colors.rules,
      [CHECKED_CLASS]: ({ data }) => data !== undefined && checks.has(data.id),
    }),
    [colors, checks],
  );

  useEffect(() => {
    const onLoaded = live.load.bind(live);
    const { newestOf } = live;
    const onRows = (total: number): void => {
      onTotal(total);
      if (!api || !isAddedNext.current) return;
      isAddedNext.current = false;
      // Once the grid has taken the rows.
      queueMicrotask(() => {
        focusRow(api, total - 1);
      });
    };
    const events = { onTotal: onRows, onFailure, onLoaded, newestOf, links: titles };
    const source = rowSource(datagrid.id, { filter, sort, q, view }, events);
    live.reload();
    // Nobody deletes rows that the view does not show.
    checks.clear();
    api?.setGridOption('datasource', source);
    // The rows of another query have nothing to do with the place on the screen.
    if (api && api.getDisplayedRowCount() > 0) api.ensureIndexVisible(0, 'top');
    selection.set(null);
  }, [
    api,
    datagrid.id,
    filter,
    sort,
    q,
    view,
    onTotal,
    onFailure,
    live,
    checks,
    titles,
    selection,
  ]);

  usePlace(api);
  useNewValues(api, datagrid.columns, live);

  useSavedRows({ api, edits, live, titles, datagrid });

  useEffect(() => {
    colors.set(colorBy);
    api?.redrawRows();
  }, [api, colors, colorBy]);

  useEffect(() => (api && root.current ? followHeaderKeys(root.current, api) : undefined), [api]);
  useEffect(() => (root.current ? titleTruncatedCells(root.current) : undefined), []);

  const summarized = summarizedIn(datagrid.columns, layout);

  const onDragged = (event: ColumnMovedEvent | ColumnResizedEvent): void => {
    const dragged = draggedLayout(event, layout);
    if (dragged) onArrange(dragged);
  };

  return (
    <RangeContext value={selection}>
      <div className="row-column">
        <div className="row-table" data-failed={hasFailed} data-editable={mayEdit} ref={root}>
          <AgGridReact<KnownRow>
            modules={GRID_MODULES}
            theme={gridTheme}
            styleNonce={CSP_NONCE}
            rowModelType="infinite"
            cacheBlockSize={MAX_LIMIT}
            rowBuffer={ROW_BUFFER}
            maxBlocksInCache={KEPT_BLOCKS}
            maxConcurrentDatasourceRequests={2}
            blockLoadDebounceMillis={20}
            infiniteInitialRowCount={Math.max(1, datagrid.rowCount)}
            getRowId={({ data }) => String(data.id)}
            columnDefs={columns}
            pinnedBottomRowData={newRow.pinned}
            defaultColDef={DEFAULT_COLUMN}
            rowClassRules={rowClasses}
            stopEditingWhenCellsLoseFocus
            // Ranges handle Tab. AG Grid gets it only to leave the grid.
            tabToNextCell={() => false}
            tabToNextHeader={tabFromHeader}
            noRowsOverlayComponent={NoRows}
            noRowsOverlayComponentParams={{ isNarrowed: filter !== undefined || q !== undefined }}
            suppressDragLeaveHidesColumns
            onColumnMoved={onDragged}
            onColumnResized={onDragged}
            onGridReady={(event: GridReadyEvent<KnownRow>) => {
              event.api.setGridAriaProperty('label', gridText.table.label(datagrid.name));
              event.api.setGridAriaProperty('multiselectable', 'true');
              setApi(event.api);
              onReady(event.api);
            }}
            onCellEditingStopped={live.resume}
          />
          <NewRowNote draft={newRow.draft} columns={datagrid.columns} />
          <RangeStatus selection={selection} />
        </div>
        {summarized.length > 0 && <SummaryBar {...{ datagrid, rowQuery, summarized, api, live }} />}
      </div>
      {api && <SelectionBar checks={checks} api={api} mayEdit={mayEdit} onOpen={onOpen} />}
      {blocks.dialog}
      {api && open !== undefined && (
        <RowCard
          api={api}
          index={open}
          columns={inOrder(datagrid.columns, layout)}
          edits={edits}
          mayEdit={mayEdit}
          onMove={setOpen}
          onClose={() => {
            setOpen(undefined);
          }}
        />
      )}
    </RangeContext>
  );
}

function NoRows({ isNarrowed }: { readonly isNarrowed: boolean }): ReactNode {
  return isNarrowed ? gridText.table.noMatch : gridText.table.none;
}
