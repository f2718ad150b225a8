import {
  ClientSideRowModelModule,
  ColumnAutoSizeModule,
  type ColDef,
  type Module,
  type SizeColumnsToContentStrategy,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useMemo, type ReactNode } from 'react';
import { GRID_MODULES } from '../grid/table/grid-modules';
import { gridTheme } from '../grid/table/grid-theme';
import { CSP_NONCE } from '../nonce';
import { sqlText } from '../text/sql-text';
import { compareValues, isNumberColumn, shownValue, type SqlResult } from './sql-result';

const MODULES: Module[] = [...GRID_MODULES, ClientSideRowModelModule, ColumnAutoSizeModule];

const AS_WIDE_AS_VALUES: SizeColumnsToContentStrategy = {
  type: 'fitCellContents',
  defaultMaxWidth: 480,
};

type Row = SqlResult['rows'][number];

/** The rows of a result. */
export function ResultTable({
  result: { columns, rows },
}: {
  readonly result: SqlResult;
}): ReactNode {
  const defined = useMemo(
    () =>
      columns.map((column): ColDef<Row> => ({
        colId: column.name,
        headerName: column.name,
        // A name may contain a period, which a `field` would read as a path.
        valueGetter: ({ data }) => data?.[column.name],
        comparator: (a, b, _a, _b, isDescending) =>
          compareValues(a, b, isNumberColumn(column), isDescending),
        valueFormatter: ({ value }) => shownValue(value),
        ...(isNumberColumn(column) && { cellClass: 'sql-number', headerClass: 'sql-number' }),
      })),
    [columns],
  );
  // The table takes an array that it may sort.
  const rowData = useMemo(() => [...rows], [rows]);
  return (
    <div className="sql-table">
      <AgGridReact<Row>
        modules={MODULES}
        theme={gridTheme}
        styleNonce={CSP_NONCE}
        rowData={rowData}
        columnDefs={defined}
        defaultColDef={{ sortable: true, resizable: true, minWidth: 60 }}
        autoSizeStrategy={AS_WIDE_AS_VALUES}
        enableCellTextSelection
        ensureDomOrder
        overlayNoRowsTemplate={sqlText.noRows}
        onGridReady={({ api }) => {
          api.setGridAriaProperty('label', sqlText.result);
        }}
      />
    </div>
  );
}
