/**
 * Joins row `r` of datagrid `$1` with this id, if there is one. It is read by its primary key, whatever
 * the statistics say: of a datagrid that is newer than they are, the planner expects one row, and could
 * read the whole datagrid for each row of a page.
 * @param id SQL of the id, from the tables before.
 */
export const joinRow = (id: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM rows WHERE datagrid_id = $1 AND id = ${id} OFFSET 0) r`;
