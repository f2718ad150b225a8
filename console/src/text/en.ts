/**
 * The texts of the console in English. Texts with parameters are functions, so that a translation
 * can order the parts as its language needs.
 */
export const EN = {
  product: 'Datagrids',
  nav: {
    label: 'Main',
    open: 'Menu',
    close: 'Close the menu',
    collapse: 'Collapse the sidebar',
    expand: 'Expand the sidebar',
    datagrids: 'Datagrids',
    webhooks: 'Webhooks',
    connections: 'Connections',
    keys: 'API keys',
    users: 'Users',
    audit: 'Audit log',
    trash: 'Trash',
    docs: 'API reference',
    start: 'Get started',
  },
  tree: {
    find: 'Find a datagrid',
    expand: (workspace: string) => `Expand ${workspace}`,
    collapse: (workspace: string) => `Collapse ${workspace}`,
    none: 'No datagrids',
    failed: 'Not loaded',
    cut: (count: string) => `Only the first ${count} workspaces are listed.`,
    more: 'Show all …',
  },
  chooseWorkspace: {
    webhooks: 'A webhook belongs to a workspace. Choose the workspace.',
    connections: 'A connection belongs to a workspace. Choose the workspace.',
    none: 'No workspace yet',
    create: 'Create a workspace',
    forbidden: {
      webhooks: 'Only admins and owners can manage webhooks.',
      connections: 'Only admins and owners can manage connections.',
    },
  },
  palette: {
    title: 'Go to',
    find: 'Go to a page or a datagrid',
    results: 'Results',
    none: 'Nothing has this name.',
    page: 'Page',
    workspace: 'Workspace',
    help: 'Help',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    groups: [
      {
        name: 'Everywhere',
        keys: [
          { combinations: ['Ctrl+K', '⌘K'], effect: 'Go to a page or a datagrid' },
          { combinations: ['?'], effect: 'Show the shortcuts' },
        ],
      },
      {
        name: 'In the grid',
        keys: [
          {
            combinations: ['Arrows', 'Home', 'End', 'Page Up', 'Page Down'],
            effect: 'Move; with Ctrl to the last cell',
          },
          { combinations: ['Shift+Arrows'], effect: 'Extend the selection' },
          { combinations: ['Tab', 'Shift+Tab'], effect: 'Move to the next or the previous cell' },
          { combinations: ['Escape, then Tab'], effect: 'Leave the grid' },
          { combinations: ['Ctrl+A'], effect: 'Select all cells' },
          { combinations: ['Shift+Space', 'Ctrl+Space'], effect: 'Select the row, the column' },
          { combinations: ['Enter', 'F2'], effect: 'Edit the value' },
          { combinations: ['Space'], effect: 'Toggle a checkbox' },
          { combinations: ['Delete'], effect: 'Clear the selected cells' },
          { combinations: ['Ctrl+C', 'Ctrl+X', 'Ctrl+V'], effect: 'Copy, cut and paste' },
          { combinations: ['Ctrl+D', 'Ctrl+R'], effect: 'Fill down, fill to the right' },
          { combinations: ['Ctrl+Z', 'Ctrl+Y'], effect: 'Undo and redo' },
          { combinations: ['Ctrl+F'], effect: 'Search' },
        ],
      },
    ],
  },
  api: {
    run: 'Run',
    runOf: (call: string) => `Run: ${call}`,
    responseTo: (call: string) => `Response: ${call}`,
    result: (status: string, durationMs: string) => `${status} · ${durationMs} ms`,
    types: 'TypeScript types of the rows',
  },
  columns: {
    id: 'Id',
    add: 'Add a column',
    addOne: 'Add',
    done: 'Done',
    settings: 'Column settings',
    titleOf: (title: string) => `Title of ${title}`,
    notRenamed: (title: string) => `“${title}” was not renamed`,
  },
  choices: {
    find: 'Find a choice',
    list: (title: string) => `Choices of ${title}`,
    remove: (choice: string) => `Remove ${choice}`,
    none: 'No choice matches.',
    add: (choice: string) => `Add choice “${choice}”`,
    adding: (choice: string) => `Adding “${choice}” …`,
  },
  checks: {
    all: 'Select all rows',
    row: (row: number) => `Select row ${row.toLocaleString()}`,
    first: (most: string, count: string) =>
      `The first ${most} of ${count} rows are selected. One action can change up to ${most} rows: narrow them with a filter.`,
    tooMany: (count: string, most: string) =>
      `${count} rows are more than the ${most} that can be selected at once. The selection has not changed.`,
    failed: 'The selection has not changed',
  },
  json: {
    format: 'Format',
    at: (line: number, column: number, problem: string) =>
      `Line ${line}, column ${column}: ${problem}`,
    expected: {
      value: 'expected a value',
      key: 'expected a key in double quotes',
      colon: 'expected “:”',
      'array-end': 'expected “,” or “]”',
      'object-end': 'expected “,” or “}”',
      end: 'expected the end',
      string: 'this string is not valid, or has no end',
    },
  },
  views: {
    all: 'All rows',
    current: (name: string) => `View: ${name}`,
    changed: (name: string) => `View: ${name}, with unsaved changes`,
    saveAs: 'Save as view…',
    update: 'Update view…',
    discard: 'Discard changes',
    rename: 'Rename view…',
    remove: 'Delete view…',
    name: 'Name',
    save: 'Save',
    saveTitle: 'Save as view',
    renameTitle: (name: string) => `Rename “${name}”`,
    updateTitle: (name: string) => `Update “${name}”`,
    updateMessage:
      'The view gets the filter, sort order, search and columns that are displayed now, for everybody.',
    removeTitle: (name: string) => `Delete “${name}”`,
    removeMessage:
      'The view is deleted for everybody, and API calls that name it return 404. Rows and columns stay as they are.',
    removeNow: 'Delete view',
    base: 'Filter of the view',
    gone: 'This view was deleted. All rows are displayed.',
    failed: 'The views were not loaded',
  },
  layout: {
    columns: 'Columns',
    hiddenColumns: (hidden: number) => `Columns (${hidden} hidden)`,
    label: 'Columns',
    moveUp: (column: string) => `Move ${column} up`,
    moveDown: (column: string) => `Move ${column} down`,
    showAll: 'Show all',
    reset: 'Reset',
    moveLeft: 'Move left',
    moveRight: 'Move right',
    pinLeft: 'Pin to the left',
    unpin: 'Unpin',
    hide: 'Hide column',
  },
  notFound: {
    title: 'Page not found',
    hint: 'The address may be misspelled, or the page no longer exists.',
    back: 'Go to the datagrids',
    docs: 'Read the API reference',
  },
};

/** Every translation has all texts, with the same parameters. */
export type Texts = typeof EN;
