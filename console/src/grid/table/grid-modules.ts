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

/** The modules of AG Grid in use. No others are loaded. */
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
