import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { GridApi } from 'ag-grid-community';
import { useCallback, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import type { Column, Datagrid } from '../datagrids/datagrid';
import { reloadDatagrid } from '../datagrids/datagrid-calls';
import { FileDrop } from '../datagrids/import/file-drop';
import type { RowQuery } from '../datagrids/row-query';
import { Crumbs } from '../list/crumbs';
import { mayShareViews, mayWriteRows, mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { gridText } from '../text/grid-text';
import { workspaceQuery } from '../workspaces/workspace-calls';
import { UndoStack } from './editing/undo/undo-stack';
import { ChangesPanel } from './data/changes/changes-panel';
import { LiveMark } from './data/changes/live-mark';
import { OutdatedNote } from './data/changes/outdated-note';
import { useLiveRows } from './data/changes/use-live-rows';
import { RowChecks } from './editing/checks/row-checks';
import { editStoreOf } from './editing/unsaved/edit-stores';
import type { KnownRow } from './cells/known-row';
import { ActiveFilters } from './query/filter/active-filters';
import { useGridView, VIEW_PARAMETER } from './views/use-grid-view';
import { GridDialogs, type OpenDialog } from './grid-dialogs';
import { reloadGroups } from './query/groups/group-calls';
import { GroupsPanel } from './query/groups/groups-panel';
import { useTitleStore } from './cells/links/link-context';
import { startNewRow } from './editing/new-row/new-row-keys';
import { isReadOnly } from '../datagrids/column-type';
import { NoColumns } from './no-columns';
import { RowFailure } from './row-failure';
import { AddColumns } from './table/columns/add-columns';
import { focusAfterDeletion } from './table/focus/deletion-focus';
import { GridActionsProvider, useHeaderActions } from './table/header/grid-actions';
import { focusRow } from './table/focus/focus-cell';
import { useHeaderFocus } from './table/header/header-focus';
import { RowTable } from './row-table';
import { GridToolbar } from './toolbar/grid-toolbar';
import { ColumnList } from './toolbar/column-list';
import { visibleColumns } from './table/columns/grid-layout';
import type { SavedView } from './views/saved-view';
import { useLayout } from './views/use-layout';
import { ViewMenu } from './views/view-menu';
import { UnsavedBar } from './editing/unsaved/unsaved-bar';

export interface GridScreenProps {
  readonly datagrid: Datagrid;
  /** The columns of the datagrid, and those of the rows that it links to. */
  readonly filterColumns: readonly Column[];
  readonly views: readonly SavedView[];
}

/** Shows the rows of a datagrid with all actions. */
export function GridScreen({ datagrid, filterColumns, views }: GridScreenProps): ReactNode {
  const { user } = useSession();
  const viewId = useSearchParams()[0].get(VIEW_PARAMETER);
  const saved = views.find(({ id }) => id === viewId);
  const grid = useGridView(datagrid.columns, filterColumns, saved);
  const { view, rowQuery, apiQuery, show, sortBy } = grid;
  const columns = useLayout(user.id, datagrid.id, datagrid.columns, saved);
  const { layout, arrange } = columns;
  const edits = useMemo(() => editStoreOf(user.id, datagrid), [user.id, datagrid]);
  const { data: workspace } = useQuery(workspaceQuery(datagrid.workspaceId));
  const [api, setApi] = useState<GridApi<KnownRow>>();
  const [total, setTotal] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const [checks] = useState(() => new RowChecks());
  const selected = useSyncExternalStore(checks.subscribe, checks.current);
  const [dialog, setDialog] = useState<OpenDialog>();
  useHeaderFocus(api, dialog, datagrid.columns);
  const onTotal = useCallback((next: number) => {
    setTotal(next);
    setFailure(undefined);
  }, []);
  const [steps] = useState(() => new UndoStack());
  const titles = useTitleStore();
  const [isAdding, setAdding] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  const live = useLiveRows(datagrid, api, edits, isPlain(rowQuery));
  const mayChange = mayWriteSchema(user.role);
  const arranging = { view, show, sortBy, layout, arrange };
  const actions = useHeaderActions(arranging, mayChange, setDialog, setAdding);
  const goTo = (index: number): void => {
    if (api) focusRow(api, index);
  };
  const refresh = (): void => {
    setFailure(undefined);
    live.reload();
    titles.reload();
    api?.refreshInfiniteCache();
    void reloadDatagrid(datagrid.id);
    void reloadGroups(datagrid.id);
  };
  const columnOf = (key: string | null): Column | undefined =>
    datagrid.columns.find((column) => column.key === key);
  const groupColumn = columnOf(view.groupBy);
  const parent = `/workspaces/${datagrid.workspaceId}`;

  return (
    <Page
      title={datagrid.name}
      isFull
      above={
        <Crumbs
          way={[
            { name: gridText.page.workspaces, to: '/workspaces' },
            { name: workspace?.name ?? gridText.page.workspace, to: parent },
          ]}
        />
      }
    >
      <GridActionsProvider actions={actions} columnsOf={mayChange ? datagrid.id : undefined}>
        <GridToolbar
          datagrid={datagrid}
          view={view}
          total={total}
          hasFailed={failure !== undefined}
          mayWrite={mayWriteRows(user.role)}
          mayChange={mayChange}
          steps={steps}
          views={
            <ViewMenu
              datagridId={datagrid.id}
              columns={datagrid.columns}
              views={views}
              view={saved}
              content={{
                rowQuery: grid.ownQuery,
                layout,
                groupBy: view.groupBy,
                groupBucket: view.groupBucket,
                colorBy: view.colorBy,
              }}
              isChanged={saved !== undefined && (grid.isChanged || columns.isChanged)}
              mayWrite={mayWriteRows(user.role)}
              mayShare={mayShareViews(user.role)}
              onOpen={grid.open}
              onDiscard={() => {
                columns.reset();
                grid.open(saved?.id);
              }}
              onSaved={(id) => {
                if (saved) columns.reset();
                grid.open(id);
              }}
            />
          }
          columnList={
            <ColumnList
              columns={datagrid.columns}
              layout={layout}
              onArrange={arrange}
              onReset={columns.reset}
            />
          }
          onAddRow={() => {
            const shown = visibleColumns(datagrid.columns, layout);
            const first = shown.find(({ type }) => !isReadOnly(type));
            if (api && first) startNewRow(api, first);
            else setDialog({ kind: 'add' });
          }}
          onShow={show}
          onOpen={setDialog}
          onRefresh={refresh}
          isListOpen={isListOpen}
          onToggleList={() => {
            setListOpen(!isListOpen);
          }}
          onGo={goTo}
        />
        {viewId !== null && !saved && (
          <Alert color="yellow" mb="xs">
            {gridText.views.gone}
          </Alert>
        )}
        <ActiveFilters columns={filterColumns} view={view} onChange={show} />
        {failure !== undefined && (
          <RowFailure error={failure} columns={datagrid.columns} onRetry={refresh} />
        )}
        {datagrid.columns.length === 0 && (
          <NoColumns add={actions.addColumns} mayWrite={mayWriteRows(user.role)} open={setDialog} />
        )}
        <div className="grid-area">
          {groupColumn && (
            <GroupsPanel
              datagrid={datagrid}
              column={groupColumn}
              visible={visibleColumns(datagrid.columns, layout)}
              rowQuery={grid.wholeQuery}
              live={live}
              view={view}
              onShow={show}
            />
          )}
          <RowTable
            datagrid={datagrid}
            rowQuery={rowQuery}
            colorBy={columnOf(view.colorBy)}
            layout={layout}
            onArrange={arrange}
            edits={edits}
            live={live}
            steps={steps}
            checks={checks}
            mayEdit={mayWriteRows(user.role)}
            hasFailed={failure !== undefined}
            onOpen={setDialog}
            onReady={setApi}
            onTotal={onTotal}
            onFailure={setFailure}
          />
          <AddColumns
            datagrid={datagrid}
            api={api}
            isOpen={isAdding}
            onClose={() => {
              setAdding(false);
            }}
          />
          <LiveMark live={live} columns={datagrid.columns} />
          <div className="grid-bars">
            <OutdatedNote live={live} datagrid={datagrid} onRefresh={refresh} />
            <UnsavedBar edits={edits} columns={datagrid.columns} />
          </div>
          {isListOpen && (
            <ChangesPanel
              datagrid={datagrid}
              live={live}
              api={api}
              isPlain={isPlain(rowQuery)}
              onGo={goTo}
              onHistory={(rowId) => {
                setDialog({ kind: 'history', rowId });
              }}
              onClose={() => {
                setListOpen(false);
              }}
            />
          )}
        </div>
        {mayWriteRows(user.role) && !dialog && (
          <FileDrop
            hint={gridText.page.drop}
            onFile={(file) => {
              setDialog({ kind: 'import', file });
            }}
          />
        )}
        <GridDialogs
          open={dialog}
          datagrid={datagrid}
          filterColumns={filterColumns}
          view={view}
          rowQuery={apiQuery}
          // The rows may have been updated since they were selected.
          selected={selected.map((row) => api?.getRowNode(String(row.id))?.data ?? row)}
          someRow={selected[0] ?? api?.getDisplayedRowAtIndex(0)?.data}
          onShow={show}
          onOpen={setDialog}
          steps={steps}
          onRowsChanged={(how, deleted) => {
            if (api && deleted) focusAfterDeletion(api, deleted);
            checks.clear();
            refresh();
            if (how === 'added' && api && total !== undefined && isPlain(rowQuery)) {
              api.setRowCount(total + 1, true);
              focusRow(api, total);
            }
          }}
        />
      </GridActionsProvider>
    </Page>
  );
}

/** The view of all rows in the order of their ids, in which the last row is the newest. */
function isPlain({ filter, sort, q, view }: RowQuery): boolean {
  return [filter, sort, q, view].every((part) => part === undefined);
}
