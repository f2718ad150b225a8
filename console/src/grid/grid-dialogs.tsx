import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { quoted } from '../text/words';
import { ApiPanel } from '../datagrids/api-panel/api-panel';
import { ColumnDialog } from '../datagrids/columns/column-dialog';
import { ColumnsPanel } from '../datagrids/columns/columns-panel';
import { RemoveColumn } from '../datagrids/columns/remove-column';
import type { Column, Datagrid } from '../datagrids/datagrid';
import { renameDatagrid } from '../datagrids/datagrid-calls';
import { findColumn } from '../datagrids/previous-key';
import { DeleteDatagrid } from '../datagrids/delete-datagrid';
import { ExportDialog } from '../datagrids/export/export-dialog';
import { NameDialog } from '../list/name-dialog';
import { gridText } from '../text/grid-text';
import { NO_STEP, type UndoStack } from './editing/undo/undo-stack';
import type { KnownRow } from './cells/known-row';
import { FilterDialog } from './query/filter/filter-dialog';
import type { GridView } from './query/filter/grid-view';
import { HistoryDialog } from './row/history-dialog';
import { AddRow } from './row/add-row';
import { DeleteRows } from './row/delete-rows';
import { DeletedColumnsDialog } from './trash/deleted-columns-dialog';
import { DeletedRowsDialog } from './trash/deleted-rows-dialog';
import type { RowQuery } from '../datagrids/row-query';

const ImportDialog = lazy(() => import('../datagrids/import/import-dialog'));

export interface OpenDialog {
  readonly kind:
    | 'add'
    | 'history'
    | 'delete-rows'
    | 'deleted-rows'
    | 'deleted-columns'
    | 'filter'
    | 'columns'
    | 'change-column'
    | 'remove-column'
    | 'import'
    | 'export'
    | 'api'
    | 'rename'
    | 'delete';
  /** Key of the column. */
  readonly startWith?: string;
  /** A file to import that was dropped on the page. */
  readonly file?: File;
  /** Id of the row. */
  readonly rowId?: number;
}

export interface GridDialogsProps {
  readonly open: OpenDialog | undefined;
  readonly datagrid: Datagrid;
  readonly filterColumns: readonly Column[];
  readonly view: GridView;
  readonly rowQuery: RowQuery;
  readonly selected: readonly KnownRow[];
  /** A row on the screen, for examples. */
  readonly someRow: KnownRow | undefined;
  /** Takes the actions of dialogs that can be undone. */
  readonly steps: UndoStack;
  readonly onShow: (view: GridView) => void;
  readonly onOpen: (dialog: OpenDialog | undefined) => void;
  /** @param deleted Rows that were deleted. */
  readonly onRowsChanged: (how: 'added' | 'otherwise', deleted?: readonly KnownRow[]) => void;
}

/** Dialogs of the grid, one at a time. */
export function GridDialogs(props: GridDialogsProps): ReactNode {
  const { open, datagrid, view, rowQuery, selected, someRow } = props;
  const { steps, onShow, onOpen, onRowsChanged } = props;
  const [changed, setChanged] = useState<readonly KnownRow[]>([]);
  const navigate = useNavigate();
  const onClose = (): void => {
    onOpen(undefined);
  };
  const onDeleted = (given: readonly KnownRow[], kept: readonly KnownRow[]): void => {
    const deleted = given.filter((row) => !kept.includes(row));
    const name = gridText.rowTrash.deletedStep(deleted.length);
    if (deleted.length > 0) steps.announce({ ...NO_STEP, name, deleted });
    onRowsChanged('otherwise', deleted);
  };
  const column = findColumn(datagrid.columns, open?.startWith ?? '');
  const onRemoved = (id: number, { key, title }: Column): void => {
    const name = gridText.columnTrash.removedStep(quoted(title));
    steps.announce({ ...NO_STEP, name, columns: [{ id, key, isRemoved: true }] });
  };
  if (changed.length > 0) {
    return (
      <DeleteRows
        datagridId={datagrid.id}
        rows={changed}
        isAnyVersion
        onDeleted={(kept) => {
          onDeleted(changed, kept);
        }}
        onClose={() => {
          setChanged([]);
        }}
      />
    );
  }
  switch (open?.kind) {
    case undefined:
      return null;
    case 'add':
      return (
        <AddRow
          datagrid={datagrid}
          onClose={onClose}
          onAdded={() => {
            onRowsChanged('added');
          }}
        />
      );
    case 'history':
      return open.rowId === undefined ? null : (
        <HistoryDialog
          datagrid={datagrid}
          rowId={open.rowId}
          onClose={onClose}
          onRestored={() => {
            onRowsChanged('otherwise');
          }}
        />
      );
    case 'delete-rows':
      return (
        <DeleteRows
          datagridId={datagrid.id}
          rows={selected}
          isAnyVersion={false}
          onClose={onClose}
          onDeleted={(rows) => {
            setChanged(rows);
            onDeleted(selected, rows);
          }}
        />
      );
    case 'deleted-rows':
      return (
        <DeletedRowsDialog
          datagrid={datagrid}
          onClose={onClose}
          onRestored={(created) => {
            steps.push({
              ...NO_STEP,
              name: gridText.rowTrash.restoredStep(created.length),
              created,
            });
            onRowsChanged('otherwise');
          }}
        />
      );
    case 'deleted-columns':
      return (
        <DeletedColumnsDialog
          datagrid={datagrid}
          onClose={onClose}
          onRestored={(id, { key, title }) => {
            const name = gridText.columnTrash.restoredStep(quoted(title));
            steps.push({ ...NO_STEP, name, columns: [{ id, key, isRemoved: false }] });
            onRowsChanged('otherwise');
          }}
        />
      );
    case 'filter':
      return (
        <FilterDialog
          columns={props.filterColumns}
          filter={view.filter}
          startWith={open.startWith}
          onClose={onClose}
          onApply={(filter) => {
            onShow({ ...view, filter });
          }}
        />
      );
    case 'columns':
      return <ColumnsPanel datagrid={datagrid} onClose={onClose} onRemoved={onRemoved} />;
    case 'change-column':
      return column && <ColumnDialog datagrid={datagrid} column={column} onClose={onClose} />;
    case 'remove-column':
      return (
        column && (
          <RemoveColumn
            datagrid={datagrid}
            column={column}
            onRemoved={onRemoved}
            onClose={onClose}
          />
        )
      );
    case 'import':
      return (
        <Suspense>
          <ImportDialog
            target={{ workspaceId: datagrid.workspaceId, datagrid }}
            file={open.file}
            onClose={onClose}
            onImported={() => {
              onRowsChanged('otherwise');
            }}
          />
        </Suspense>
      );
    case 'export':
      return <ExportDialog datagrid={datagrid} rowQuery={rowQuery} onClose={onClose} />;
    case 'api':
      return (
        <ApiPanel datagrid={datagrid} rowQuery={rowQuery} rowId={someRow?.id} onClose={onClose} />
      );
    case 'rename':
      return (
        <NameDialog
          title={gridText.page.rename(quoted(datagrid.name))}
          submitLabel={gridText.page.save}
          initial={datagrid}
          onClose={onClose}
          onSave={({ name, description }) => renameDatagrid(datagrid.id, { name, description })}
        />
      );
    case 'delete':
      return (
        <DeleteDatagrid
          datagrid={datagrid}
          onClose={onClose}
          onDeleted={() => void navigate(`/workspaces/${datagrid.workspaceId}`)}
        />
      );
  }
}
