import { EN_GRID } from './en-grid';

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
    requests: 'Request log',
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
  ...EN_GRID,
  requests: {
    title: 'Request log',
    label: 'Requests',
    log: 'Log',
    logOf: (key: string) => `Log of ${key}`,
    showRequests: 'Show the requests in the log',
    introAll: (days: string, entries: string) =>
      `Requests with the API keys of all users, newest first. The log has the last ${days}, up to ${entries} requests. A request appears after about 5 seconds.`,
    introOwn: (days: string, entries: string) =>
      `Requests with your API keys, newest first. The log has the last ${days}, up to ${entries} requests of the account. A request appears after about 5 seconds.`,
    columns: {
      status: 'Status',
      request: 'Request',
      key: 'Key',
      time: 'Time',
      duration: 'Duration',
      requestId: 'Request ID',
    },
    noStatus: 'None',
    incomplete: 'incomplete',
    incompleteHint: 'The connection ended before the response was complete.',
    unknownRoute: 'unknown path',
    deletedKey: 'deleted',
    durationMs: (ms: string) => `${ms} ms`,
    durationSeconds: (seconds: string) => `${seconds} s`,
    filters: 'Filters',
    key: 'Key',
    allKeys: 'All keys',
    otherKey: 'Another key',
    status: 'Status',
    allStatuses: 'All',
    statuses: {
      '2xx': '2xx, successful',
      '3xx': '3xx, not modified',
      '4xx': '4xx, rejected',
      '5xx': '5xx, failed',
    },
    method: 'Method',
    allMethods: 'All',
    clear: 'Clear the filters',
    refresh: 'Refresh',
    earlier: 'Show earlier requests',
    leftOutTitle: (requests: string) => `${requests} left out`,
    leftOut: (hour: string) =>
      `More requests arrived at once than the log takes, which is about 100 per second. They were processed, but are not listed here. The last hour with such requests began ${hour}.`,
    offTitle: 'The request log is off',
    off: 'The operator of the service can turn it on with the setting REQUEST_LOG_RETENTION_DAYS.',
    noMatch: 'No request matches',
    noMatchHint: 'The log has no request with these filters.',
    none: 'No requests yet',
    noneHint: 'Requests that programs send with an API key appear here. Send the first one:',
    example: 'Example request',
    copyExample: 'Copy curl line',
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
