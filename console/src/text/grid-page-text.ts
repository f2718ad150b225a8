import { countOf } from './count-of';

/** Texts of the page of rows: toolbar, table and cells. */
export const gridPageText = {
  page: {
    title: 'Datagrid',
    workspaces: 'Workspaces',
    workspace: 'Workspace',
    drop: 'Drop the file to import it',
    rename: (datagrid: string) => `Rename ${datagrid}`,
    save: 'Save',
  },
  noColumns: {
    hint: 'This datagrid has no columns yet.',
    add: 'Add columns',
    importFile: 'Import a file',
  },
  failure: {
    title: 'The rows cannot be displayed',
    slow: 'This takes too long',
    slowHint: (columns: readonly string[]) =>
      `An index makes this fast: mark ${columns.join(' and ')} as indexed among the columns.`,
  },
  toolbar: {
    label: 'Rows',
    addRow: 'Add row',
    addRowHint: 'Type the row in the last line. With Shift, fill in a form.',
    addRowForm: 'Add a row in a form',
    filter: (conditions: number) => (conditions > 0 ? `Filter (${conditions})` : 'Filter'),
    search: 'Search all text columns',
    searchHint: 'Search text, then Enter',
    searchShort: 'Search text',
    goTo: 'Go to row',
    go: 'Go',
    refresh: 'Refresh',
    loading: 'Loading',
    rows: (rows: number) => countOf(rows, 'row'),
    changes: 'Changes',
    api: 'API',
    more: 'More actions for this datagrid',
    importFile: 'Import a file',
    exportFile: 'Export',
    rename: 'Rename',
    remove: 'Delete the datagrid',
  },
  header: {
    sortOrder: (column: string, mark: string) => `Change the sort order of ${column}, ${mark}`,
    options: (column: string) => `Options for ${column}`,
    ascending: 'Sort ascending',
    descending: 'Sort descending',
    addSort: 'Add to sort',
    clearSort: 'Clear sort',
    filter: 'Filter by this column',
    copyKey: 'Copy the column’s key',
    change: 'Change column',
    remove: 'Remove column',
  },
  table: {
    label: (datagrid: string) => `Rows of ${datagrid}`,
    number: 'Row',
    numberShort: '#',
    newRowShort: '+',
    newRow: 'New',
    noMatch: 'No rows match.',
    none: 'There are no rows yet. Add one, or import a file.',
    copied: (rows: number, columns: number) =>
      rows === 1 && columns === 1
        ? 'Copied: 1 cell'
        : `Copied: ${countOf(rows, 'row')} × ${countOf(columns, 'column')}`,
    selected: (rows: number, columns: number) =>
      `Selected: ${countOf(rows, 'row')} × ${countOf(columns, 'column')}`,
  },
  /** The filter and the sort order above the rows. */
  active: {
    label: 'Active filters and sorting',
    ascending: (column: string) => `Sorted by ${column}`,
    descending: (column: string) => `Sorted by ${column}, descending`,
    contains: (search: string) => `Contains ${search}`,
    condition: (column: string, operator: string, value: string) =>
      `${column} ${operator} ${value}`,
    conditionOnly: (column: string, operator: string) => `${column} ${operator}`,
    remove: (part: string) => `Remove: ${part}`,
    removeAll: 'Clear all',
  },
  operators: {
    $eq: 'is',
    $ne: 'is not',
    $in: 'is one of',
    $gt: 'is more than',
    $gte: 'is at least',
    $lt: 'is less than',
    $lte: 'is at most',
    $contains: 'contains',
    $startsWith: 'starts with',
    $endsWith: 'ends with',
    $containsAny: 'contains any of',
    empty: 'has no value',
    notEmpty: 'has a value',
  },
  values: {
    none: '(no value)',
    empty: 'empty',
    change: (before: string, after: string) => `${before} → ${after}`,
    required: 'Enter a value.',
    /** What to enter in a column of numbers, or of true and false. */
    enter: {
      integer: 'Enter a whole number.',
      number: 'Enter a number.',
      boolean: 'Enter true or false.',
    },
    notJson: (problem: string) => `This is not JSON. ${problem}.`,
    link: (column: string) => `Open ${column}`,
    typing: (value: string) => `Type to replace: ${value === '' ? 'no value' : value}`,
    chooseDate: (column: string) => `Choose a date for ${column}`,
    /** The key and the type of a column, and what a form says about its values. */
    column: (facts: readonly string[]) => facts.join(', '),
    typeOf: (key: string, type: string) => `${key}: ${type}`,
    unique: 'unique',
    defaultOf: (value: string) => `default ${value}`,
  },
};
