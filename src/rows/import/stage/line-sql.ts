export const COPY_LINES = 'COPY import_lines (datagrid_id, import_id, line, "values") FROM STDIN';

/** One of several imports does it for all. */
export const VACUUM_LINES = 'VACUUM (SKIP_LOCKED) import_lines';
