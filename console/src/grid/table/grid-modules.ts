import {
  CellStyleModule,
  ColumnApiModule,
  CustomEditorModule,
  EventApiModule,
  HighlightChangesModule,
  InfiniteRowModelModule,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowStyleModule,
  ScrollApiModule,
  ValidationModule,
  type Module,
} from 'ag-grid-community';

/** The modules of AG Grid in use. No others are loaded. */
export const GRID_MODULES: Module[] = [
  InfiniteRowModelModule,
  PinnedRowModule,
  RowStyleModule,
  CustomEditorModule,
  CellStyleModule,
  ColumnApiModule,
  ScrollApiModule,
  RowApiModule,
  RenderApiModule,
  EventApiModule,
  HighlightChangesModule,
  ...(import.meta.env.DEV ? [ValidationModule] : []),
];
