import { themeQuartz } from 'ag-grid-community';

/** AG Grid in the console's own colours, which change between light and dark by themselves. */
export const gridTheme = themeQuartz.withParams({
  browserColorScheme: 'inherit',
  fontFamily: 'inherit',
  fontSize: 14,
  rowHeight: 36,
  headerHeight: 40,
  backgroundColor: 'var(--mantine-color-body)',
  foregroundColor: 'var(--mantine-color-text)',
  textColor: 'var(--mantine-color-text)',
  cellTextColor: 'var(--mantine-color-text)',
  headerTextColor: 'var(--mantine-color-text)',
  headerBackgroundColor: 'var(--mantine-color-default-hover)',
  borderColor: 'var(--mantine-color-default-border)',
  accentColor: 'var(--mantine-primary-color-filled)',
  wrapperBorderRadius: 'var(--mantine-radius-md)',
  columnBorder: true,
});
