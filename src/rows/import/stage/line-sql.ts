export const COPY_LINES = 'COPY import_lines (datagrid_id, import_id, line, "values") FROM STDIN';

/** If several imports vacuum at once, one does the work for all and the others skip it. */
export const VACUUM_LINES = 'VACUUM (SKIP_LOCKED) import_lines';
