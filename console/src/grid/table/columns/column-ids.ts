/** Id of the column with the number of a row, which no column of a datagrid can have. */
export const NUMBER_COLUMN_ID = ':number';

/** Id of the column with the checkboxes of the rows. */
export const CHECK_COLUMN_ID = ':check';

/** Id of the column with the id of a row. */
export const ID_COLUMN_ID = ':id';

/** Columns in which nothing is typed. */
export const NO_VALUES: ReadonlySet<string> = new Set([
  NUMBER_COLUMN_ID,
  CHECK_COLUMN_ID,
  ID_COLUMN_ID,
]);
