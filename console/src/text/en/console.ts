import { countOf } from './count-of';
import { EN_FRAME } from './frame';

const secondsText = (seconds: number): string =>
  `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;

/**
 * The texts of the console in English. Texts with parameters are functions, so that a translation
 * can order the parts as its language needs.
 */
export const EN = {
  product: 'Datagrids',
  ...EN_FRAME,
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
  problem: {
    unknown: 'This did not work',
    outage: 'The server is not available',
    forbidden: 'You are not allowed to do this',
    notFound: 'Not found',
    limited: 'Too many requests',
    failed: 'The server failed',
    reload: 'Load the page again.',
    checkNetwork: 'Check your network, and try again.',
    waitOutage: 'Wait a moment, and try again.',
    askOwner: 'Ask an owner of the account for another role.',
    lookInTrash: 'It may have been deleted. Look in the trash.',
    wait: (seconds: number | undefined) =>
      `Wait ${seconds === undefined ? 'a moment' : secondsText(seconds)}, and try again.`,
    report: 'Try again. If it fails again, report the request id.',
    requestId: 'Request id',
    copyId: 'Copy request id',
    retry: 'Try again',
    page: 'This page could not be displayed',
    pageHint:
      'The console may have been updated, or the server cannot be reached. Load the page again.',
    pageReload: 'Load again',
    pageBack: 'Go to the datagrids',
    pageDetails: 'Details of the error',
  },
  palette: {
    open: 'Search',
    key: 'Ctrl K',
    appleKey: '⌘K',
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
          {
            combinations: ['Ctrl+Shift+Home', 'Ctrl+Shift+End'],
            effect: 'Extend the selection to the first or the last cell',
          },
          { combinations: ['Tab', 'Shift+Tab'], effect: 'Move to the next or the previous cell' },
          { combinations: ['Escape, then Tab'], effect: 'Leave the grid' },
          {
            combinations: ['Arrow up from the first row'],
            effect: 'Go to the headers: arrows move, Enter sorts, Alt+Enter opens the menu',
          },
          { combinations: ['Ctrl+A'], effect: 'Select all cells' },
          { combinations: ['Shift+Space', 'Ctrl+Space'], effect: 'Select the row, the column' },
          { combinations: ['Enter', 'F2'], effect: 'Edit the value' },
          { combinations: ['Ctrl+Enter'], effect: 'Open the linked row' },
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
  deleteDatagrid: {
    title: (datagrid: string) => `Delete ${datagrid}?`,
    hint: (rows: number) =>
      `It has ${countOf(rows, 'row')}. Programs that use it will fail. It can be restored from the trash for some days.`,
    submit: 'Delete the datagrid',
  },
  requests: {
    title: 'Request log',
    label: 'Requests',
    log: 'View log',
    showRequests: 'Show the requests in the log',
    introAll: (days: number, entries: string) =>
      `Requests with the API keys of all users, newest first. The log has the last ${countOf(days, 'day')}, up to ${entries} requests. A request appears after about 5 seconds.`,
    introOwn: (days: number, entries: string) =>
      `Requests with your API keys, newest first. The log has the last ${countOf(days, 'day')}, up to ${entries} requests of the account. A request appears after about 5 seconds.`,
    columns: {
      status: 'Status',
      request: 'Request',
      key: 'Key',
      time: 'Time',
      duration: 'Duration',
      requestId: 'Request id',
      error: 'Error',
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
    leftOutTitle: (requests: number) => `${countOf(requests, 'request')} left out`,
    leftOut: (hour: string) =>
      `The log takes about 100 requests per second. Further requests were processed as usual, but are not listed here. The last hour with such requests began ${hour}.`,
    offTitle: 'The request log is off',
    off: 'The operator of the service can turn it on with the setting REQUEST_LOG_RETENTION_DAYS.',
    noMatch: 'No request matches',
    noMatchHint: 'The log has no request with these filters.',
    none: 'No requests yet',
    noneHint: 'Requests that programs send with an API key appear here. Send the first one:',
    example: 'Example request',
    copyExample: 'Copy the curl command',
  },
  missing: {
    title: 'Not found',
    hint: 'It may have been deleted. Deleted workspaces and datagrids stay in the trash for some time.',
    noAccess: 'It may have been deleted, or you have no access to it.',
    openTrash: 'Open the trash',
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
