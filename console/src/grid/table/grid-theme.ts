import { themeQuartz } from 'ag-grid-community';

/** Heights in pixels. */
export const ROW_HEIGHT = 32;
export const HEADER_HEIGHT = 36;

/** Theme of AG Grid with the colors of the console, which follow the color scheme. */
export const gridTheme = themeQuartz.withParams({
  browserColorScheme: 'inherit',
  fontFamily: 'inherit',
  fontSize: 13,
  rowHeight: ROW_HEIGHT,
  headerHeight: HEADER_HEIGHT,
  backgroundColor: 'var(--mantine-color-body)',
  foregroundColor: 'var(--mantine-color-text)',
  textColor: 'var(--mantine-color-text)',
  cellTextColor: 'var(--mantine-color-text)',
  headerTextColor: 'var(--mantine-color-text)',
  headerBackgroundColor: 'var(--surface-sunken)',
  borderColor: 'var(--mantine-color-default-border)',
  accentColor: 'var(--mantine-primary-color-filled)',
  wrapperBorderRadius: 'var(--mantine-radius-md)',
  columnBorder: true,
  pinnedRowFontWeight: 'normal',
});
