/** Rows that one statement looks at: it stays short, however many rows there are. */
const BATCH_ROWS = 5_000;

/** The rows that follow row $2, by id, as `batch`. */
export const BATCH_SQL = `
  SELECT id, "values" FROM rows WHERE datagrid_id = $1 AND id > $2
  ORDER BY id LIMIT ${String(BATCH_ROWS)}`;
