import {
  CellStyleModule,
  ColumnApiModule,
  CustomEditorModule,
  InfiniteRowModelModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  ScrollApiModule,
  ValidationModule,
  type Module,
} from 'ag-grid-community';

/** What of AG Grid is used. All else stays out of what a browser loads. */
export const GRID_MODULES: Module[] = [
  InfiniteRowModelModule,
  RowSelectionModule,
  CustomEditorModule,
  CellStyleModule,
  ColumnApiModule,
  ScrollApiModule,
  RowApiModule,
  RenderApiModule,
  ...(import.meta.env.DEV ? [ValidationModule] : []),
];
