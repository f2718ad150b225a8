import { countOf } from './count-of';
import { destinationsText } from './destinations-text';
import { scheduledImportsText } from './scheduled-imports-text';
import { quoted, type TextParts } from './words';

/** Texts of connections. */
export const connectionsText = {
  destinations: destinationsText,
  imports: scheduledImportsText,
  forbidden: 'Only admins and owners can manage connections.',
  statuses: { active: 'Active', failing: 'Failing', paused: 'Paused' },
  list: {
    title: 'Connections',
    label: 'Connections',
    create: 'New connection',
    none: 'No connection yet',
    noneHint:
      'A connection copies the datagrids of this workspace into a data warehouse, such as a PostgreSQL or ClickHouse database or a DuckDB file, and keeps the copies in sync. Each datagrid gets a table there, for reports and SQL.',
    columns: { name: 'Name', status: 'Status', tables: 'Tables' },
    tables: (tables: number, failing: number) =>
      `${countOf(tables, 'table')}${failing > 0 ? `, ${failing} failing` : ''}`,
  },
  page: {
    title: 'Connection',
    connections: 'Connections',
    test: 'Test the connection',
    actions: 'Actions for this connection',
    notChanged: 'The connection was not changed',
  },
  removal: {
    title: (name: string) => `Delete ${quoted(name)}?`,
    message:
      'The connection is deleted with its runs. The tables in the destination stay, with all their rows. This cannot be undone.',
    submit: 'Delete the connection',
  },
  problems: {
    paused: 'This connection is paused',
    pausedHint:
      'Its tables stay as they are. Once it is resumed, they get the changes since then; after a long pause, they are loaded again.',
    failing: (tables: number) => `${countOf(tables, 'table')} cannot be synced`,
    failingHint: <Time>(at: Time, error: string): TextParts<Time> => [
      at,
      `: ${error} The sync is repeated by itself.`,
    ],
  },
  facts: {
    name: 'Name',
    lag: 'Lag',
    lastSync: 'All changes until',
    notSynced: 'Not all tables are loaded yet',
    destination: 'Destination',
    saved: 'Saved',
    none: 'None',
    yes: 'Yes',
    no: 'No',
    datagrids: 'Datagrids',
    allDatagrids: 'All of this workspace, also future ones',
    noDatagrids: 'None, only scheduled imports',
    deletions: 'Deleted rows',
    frequency: 'How often',
    created: 'Created',
  },
  deletions: {
    delete: { choice: 'Delete them in the destination', fact: 'Are deleted' },
    mark: {
      choice: 'Keep them, with the time of the deletion in _deleted_at',
      fact: 'Stay, marked as deleted',
    },
    history: {
      choice: 'Keep them, and every earlier version of all rows, with its end time in _valid_to',
      fact: 'Stay, with all earlier versions of rows',
    },
  },
  frequency: {
    continuous: 'Continuously',
    every: (minutes: number) => (minutes === 1 ? 'Every minute' : `Every ${minutes} minutes`),
  },
  form: {
    editTitle: (name: string) => `Edit ${quoted(name)}`,
    name: 'Name of the connection',
    secretHint:
      'Leave it empty to keep the saved one. If a setting of the destination changes, enter it again.',
    noDatagrids: 'None, only scheduled imports',
    deletions: 'Deleted rows',
    deletionsHint: 'This cannot change after the first load.',
    frequency: 'How often',
    continuous: 'Continuously, within seconds after a change',
    intervals: 'At intervals',
    minutes: 'Minutes between two syncs',
    noMinutes: (least: number) => `Must be a number of minutes from ${least} to 10,080 (one week).`,
  },
  test: {
    title: (name: string) => `Test of ${quoted(name)}`,
    failed: 'The destination was not tested',
    again: 'Test again',
    ok: 'The test succeeded',
    okHint: 'The service can connect to the destination, and has the rights that a sync needs.',
    notOk: 'The test failed',
    noReason: 'The destination gave no reason.',
  },
  tables: {
    title: 'Tables',
    columns: { table: 'Table', status: 'Status', datagrid: 'Copy of', lag: 'Lag', trend: 'Trend' },
    none: 'There is no datagrid to copy yet.',
    statuses: {
      waiting: 'Waiting',
      loading: 'Loading',
      synced: 'Synced',
      failing: 'Failing',
      paused: 'Paused',
    },
    columnsOf: (columns: number | null) =>
      columns === null ? 'all columns' : countOf(columns, 'column'),
    someDatagrid: 'a datagrid',
    checked: <Time>(at: Time, result: string): TextParts<Time> => ['Checked ', at, `: ${result}`],
    noDifferences: 'no differences',
    differences: (rows: number) =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'was' : 'were'} different`,
    requests: {
      reset: 'The next run loads the table again.',
      repair: 'The next run checks and repairs the table.',
      check: 'The next run checks the table.',
    },
    load: (name: string) => `Load of ${name}`,
    lag: (name: string, span: string, most: string, last: string) =>
      `Lag of ${name} in the last ${span}: at most ${most}, now ${last}`,
    actionsFor: (name: string) => `Actions for the table ${name}`,
    edit: 'Name and columns',
    check: 'Check',
    notChecked: (name: string) => `${name} is not checked`,
    repair: 'Repair',
    repairTitle: (name: string) => `Repair ${name}?`,
    repairMessage:
      'The table is compared with the datagrid. Rows that are different are replaced, so that changes that others made to the table are lost.',
    repairSubmit: 'Repair the table',
    reset: 'Load again',
    resetTitle: (name: string) => `Load ${name} again?`,
    resetMessage:
      'All rows of the datagrid are sent again. Until the new load is complete, the destination keeps the rows that it has.',
    resetSubmit: 'Load the table again',
  },
  table: {
    title: (name: string) => `Name and columns of ${name}`,
    fixedName: 'The name of the table is fixed, because its first load has begun.',
    name: 'Name of the table',
    nameHint:
      'Lower-case letters, digits and “_”, beginning with a letter. It cannot change after the first load.',
    columns: 'Columns',
    columnsHint:
      'Columns that you leave out are dropped from the table in the destination, with their values.',
    noColumns: 'Choose at least one column.',
    allColumns: 'All, also future ones',
    someColumns: 'Only some',
    chosenColumns: 'Chosen columns',
    columnsFailed: 'The columns could not be loaded.',
  },
  progress: {
    rows: (loaded: number, total: number) =>
      `${loaded.toLocaleString()} of ${total.toLocaleString()} rows`,
    left: (rows: string, rate: string, left: string) =>
      `${rows}, ${rate} rows per second, ${left} left`,
    notLoaded: 'Not loaded yet',
    upToDate: 'Has all changes',
    behind: (lag: string) => `${lag} behind`,
  },
  durations: {
    seconds: (seconds: number) => `${seconds} s`,
    minutes: (minutes: number) => `${minutes} min`,
    hours: (hours: number) => `${hours} h`,
    hoursAndMinutes: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
    days: (days: number) => `${days} days`,
  },
  runs: {
    title: 'Runs',
    none: 'No run has changed a table yet, or failed. Runs that find no changes are not listed.',
    earlier: 'Show earlier runs',
    done: 'Done',
    failed: 'Failed',
    columns: {
      datagrid: 'Datagrid',
      status: 'Status',
      rows: 'Rows',
      size: 'Size',
      duration: 'Duration',
      started: 'Started',
    },
    duration: (seconds: string) => `${seconds} s`,
    bytes: (bytes: number) => `${bytes} bytes`,
  },
  wizard: {
    title: 'New connection',
    label: 'Steps',
    steps: {
      destination: 'Destination',
      settings: 'Settings',
      sync: 'Datagrids',
      review: 'Review',
    },
    chooseTitle: 'Choose a destination',
    type: 'Type of the destination',
    typeHint: 'It cannot change later.',
    noType: 'Choose a destination.',
    settingsTitle: (destination: string) => `${destination} settings`,
    test: 'Test',
    skipTest: 'Continue without a successful test',
    syncTitle: 'What to copy, and how often',
    noDatagrids: 'Choose at least one datagrid.',
    reviewTitle: 'Review and start',
    create: 'Start the connection',
    createPaused: 'Create it paused',
    copiesNone: 'No datagrid is copied. Add scheduled imports on the page of the connection.',
    start: 'Start at once',
    startHint:
      'To choose names of tables or leave out columns first, create the connection paused. You can resume it on its page.',
  },
  preview: {
    title: 'Tables',
    all: 'Each datagrid of the workspace gets a table, also future ones.',
    some: 'Each of these datagrids gets a table.',
    names:
      'The service decides the names when the connection is created: the name of the datagrid in lower-case letters, digits and “_”.',
    none: 'The workspace has no datagrid yet.',
    more: (datagrids: number, isCut: boolean) =>
      datagrids > 0
        ? `And ${countOf(datagrids, 'other datagrid')}${isCut ? ' or more' : ''}.`
        : 'And others.',
    columnsOf: (datagrid: string) => `Columns of ${datagrid}`,
    failed: 'The columns could not be loaded.',
    loading: 'Loading the columns …',
  },
};
