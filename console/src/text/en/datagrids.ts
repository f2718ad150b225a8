import { countOf } from './count-of';

/** Texts of columns, exports and the API panel, and of parts that several pages share, in English. */
export const EN_DATAGRIDS = {
  /** What a value of a type must look like, as the object of a sentence. */
  expected: {
    text: 'a text',
    integer: 'an integer',
    number: 'a number such as 12.5, with up to 15 digits',
    decimal: 'a number such as 12.50, with up to 38 digits, 18 of them after the point',
    boolean: 'true or false',
    date: 'a date',
    datetime: 'a date and time',
    select: 'one of the choices of the column',
    multiSelect: 'a JSON array of choices',
    link: 'the id of a row',
    multiLink: 'a JSON array of ids of rows',
    json: 'valid JSON',
    email: 'an email address',
    url: 'an http or https URL',
  },
  /** Names of types in forms, if they differ from those of the API. */
  typeLabels: {
    link: 'Link to a row',
    multiLink: 'Links to rows',
  },
  /** Examples of formats, in empty fields. */
  placeholders: {
    date: 'YYYY-MM-DD',
    datetime: 'YYYY-MM-DDThh:mm:ssZ',
    email: 'name@example.com',
    url: 'https://…',
  },
  columns: {
    settings: 'Column settings',
    add: 'Add a column',
    copyKey: 'Copy key',
    change: 'Change',
    remove: 'Remove',
    removeTitle: (column: string) => `Remove ${column}?`,
    removeHint: (column: string, rows: number) =>
      `${column} disappears at once, with its values in ${countOf(rows, 'row')}. You can restore it for some days.`,
    removeNow: 'Remove the column',
    titleAndType: (column: string, type: string) => `${column} (${type})`,
    defaultOf: (value: string) => `Default value: ${value}`,
    isRequired: 'required',
    isUnique: 'unique',
    isIndexed: 'indexed',
    indexOf: (column: string) => `Index of ${column}`,
    indexing: (percent: number) => `Building the index: ${percent} %`,
  },
  column: {
    newTitle: 'New column',
    changeTitle: (column: string) => `Change ${column}`,
    preview: 'Preview the change',
    add: 'Add the column',
    convert: 'Convert the values',
    change: 'Change the column',
    title: 'Title',
    titleHint: 'Displayed name. It can change at any time.',
    key: 'Key',
    keyHint: 'Name in the API. It never changes.',
    type: 'Type',
    choices: 'Choices, one per line',
    choicesKeys: 'Ctrl+Enter saves.',
    choicesHint: 'If you leave this blank for a new type, the choices are the values.',
    defaultValue: 'Default value',
    defaultHint: 'Value of a new row that is created without one.',
    noDefault: '(none)',
    required: 'Required',
    requiredHint: 'Every row must have a value.',
    unique: 'Unique',
    uniqueHint: 'No two rows may have the same value.',
    indexed: 'Indexed',
    indexedHint: 'Filtering and sorting by this column is fast for any number of rows.',
  },
  /** What a change of a column does to the rows. */
  change: {
    conflicts: (rows: number) =>
      `${rows === 1 ? '1 row conflicts' : `${rows.toLocaleString()} rows conflict`} with the change. Edit or delete these rows first.`,
    noConflict: (rows: string) =>
      `No row conflicts with the change. All rows keep their values: ${rows} in all.`,
    noConflictIn: (checked: string, rows: string) =>
      `None of the first ${checked} of ${rows} rows conflicts with the change. The others are checked when you save it.`,
    checked: (checked: string, rows: string) =>
      `Only the first ${checked} of ${rows} rows were checked.`,
    emptied: (values: number) => `${countOf(values, 'value')} will become empty`,
    converted: (values: number) => `${countOf(values, 'value')} will be converted`,
    example: (rowId: number, value: string) => `Id ${rowId}: ${value}`,
    conversion: (rowId: number, before: string, after: string) =>
      `Id ${rowId}: ${before} → ${after}`,
    choices: (choices: number, listed: string) => `${countOf(choices, 'choice')}: ${listed}`,
    empty: 'empty',
    noValue: 'no value',
  },
  exports: {
    title: (datagrid: string) => `Export ${datagrid}`,
    format: 'Format',
    spreadsheet: 'CSV for spreadsheets',
    spreadsheetHint:
      'Opens in Excel, Numbers and Google Sheets. Text that looks like a formula gets an apostrophe before it, so it does not run.',
    exact: 'CSV, exact',
    exactHint:
      'Every value as stored. Choose it to import the file again or to read it with a program.',
    ndjson: 'NDJSON, one JSON object per line',
    delimiter: 'Delimiter',
    comma: 'Comma',
    semicolon: 'Semicolon, for Excel with a decimal comma',
    tab: 'Tab',
    rows: 'Rows',
    displayedRows: 'Displayed rows, in the displayed order',
    noLinked: 'Exports cannot filter by columns of linked rows.',
    allRows: 'All',
    hint: 'The file is a snapshot. It contains no unsaved edits.',
    close: 'Close',
    download: 'Download',
  },
  api: {
    title: 'API',
    /** A sentence with two links. */
    intro: {
      start: 'Create an API key in ',
      profile: 'Profile',
      middle: (variable: string) =>
        ` and set it in the environment as ${variable}. Use keys only on servers, never in a web page. For all operations, see `,
      docs: 'the API reference',
      end: '.',
    },
    language: 'Language',
    copy: 'Copy',
    types: 'TypeScript types of the rows',
    assistants: 'Settings for AI assistants (MCP), with your key',
    run: 'Run',
    runOf: (call: string) => `Run: ${call}`,
    responseTo: (call: string) => `Response: ${call}`,
    result: (status: string, durationMs: string) => `${status} · ${durationMs} ms`,
    calls: {
      listDisplayed: 'List the rows on the screen',
      list: 'List rows',
      get: 'Get a row',
      create: 'Create a row',
      update: 'Update a row if it has not changed',
      upsert: (column: string) => `Upsert rows by ${column}`,
      remove: 'Delete a row',
      importFile: 'Import a file',
      exportAll: 'Export all rows',
    },
  },
};
