import { countOf } from './count-of';

/** Texts of the import of a file. */
export const importText = {
  dialog: {
    title: (datagrid: string) => `Import into ${datagrid}`,
    newTitle: 'New datagrid from a file',
    file: 'File',
    fileHint: 'CSV, Excel (.xlsx), JSON or NDJSON. You can also drop a file on the page.',
    chooseFile: 'Choose a file',
    nothingWritten: 'Nothing is written before you have seen how the file is understood.',
    failed: 'The file cannot be imported',
    another: 'Another file',
    close: 'Close',
  },
  /** How a file is written. */
  settings: {
    delimiter: 'Delimiter',
    delimiters: { comma: 'Comma', semicolon: 'Semicolon', tab: 'Tab', pipe: 'Pipe' },
    encoding: 'Encoding',
    sheet: 'Worksheet',
    firstRow: 'First row',
    firstRows: { names: 'Column names', values: 'Values' },
    numbers: 'Numbers',
    dates: 'Dates',
    dateOrders: { dmy: 'Day, month, year', mdy: 'Month, day, year' },
    ambiguous: (value: string) => `“${value}” can be read in two ways.`,
    ambiguousDelimiter: 'The file can be read in two ways.',
    choose: 'Choose',
  },
  plan: {
    name: 'Name of the new datagrid',
    matchOn: 'Existing rows',
    insert: 'Create a row for each row of the file',
    upsert: (column: string) => `Change the row with the same ${column}`,
    noUnique:
      'Each row of the file creates a row. To let an import change existing rows, make a column unique under Column settings.',
    noUniqueInFile:
      'Each row of the file creates a row. To change existing rows, choose a unique column of the datagrid for a column of the file.',
    noHistory:
      'This datagrid keeps no earlier versions of rows, so an import that changes rows cannot be undone.',
    keepHistory: 'Keep earlier versions of rows, so that the import can be undone',
    misfits: 'Values that do not fit',
    rejectMisfits: 'Leave out their rows',
    emptyMisfits: 'Leave empty, unless a value is required',
    notRead: 'The file cannot be read',
    start: 'Import',
    foot: 'Import',
    counts: (rows: number, rejected: number) =>
      rejected === 0
        ? countOf(rows, 'row')
        : `${countOf(rows, 'row')}, ${rejected.toLocaleString()} left out`,
    startRows: (rows: number) => `Import ${countOf(rows, 'row')}`,
    numberedColumn: (position: number) => `Column ${position}`,
    noName: 'Name the datagrid.',
    noColumn: 'Choose a column.',
    sameColumn: 'Two columns of the file go to the same column.',
    ambiguousDelimiter: 'Choose the delimiter.',
    ambiguousNumbers: 'Choose how numbers are written.',
    ambiguousDates: 'Choose how dates are written.',
  },
  preview: {
    label: 'Preview',
    columnFor: (name: string) => `Column for ${name}`,
    newColumn: 'New column',
    leaveOut: 'Leave out',
    nameOf: (name: string) => `Name of ${name}`,
    typeOf: (name: string) => `Type of ${name}`,
  },
  /** The check of the whole file before the import. */
  check: {
    running: (rows: number) => `Checking the file: ${countOf(rows, 'row')} so far`,
    allFit: (rows: number, emptied: number) =>
      emptied === 0
        ? `All ${countOf(rows, 'row')} fit`
        : `All ${countOf(rows, 'row')} will be imported`,
    someFit: (rows: number, rejected: number) =>
      `${rejected.toLocaleString()} of ${countOf(rows, 'row')} ${rejected === 1 ? 'does' : 'do'} not fit and will be left out`,
    withEmptied: (found: string, values: number) =>
      `${found}, ${countOf(values, 'value')} will be left empty`,
    leftEmpty: (found: string, values: number) =>
      `${found} ${values === 1 ? 'The value' : 'These values'} will be left empty.`,
    leftOut: (name: string, values: number) =>
      `${name} is left out, and has ${countOf(values, 'value')}.`,
    makeText: (column: string) => `Import ${column} as text`,
    makeType: (column: string, type: string) => `Import ${column} as ${type}`,
    hints: 'Some columns are imported as text because not all of their values have the same type',
    hint: (column: string, fitting: number, values: number, type: string, examples: string) =>
      `${column}: ${fitting.toLocaleString()} of ${values.toLocaleString()} values can be read as ${type}, but not ${examples}.`,
    rowsMisfit: (rows: number, reason: string, examples: string) =>
      `${countOf(rows, 'row')} cannot be read: ${examples}. ${reason}`,
    valuesMisfit: (values: number, column: string, reason: string, examples: string) =>
      `${column} ${reason} in ${countOf(values, 'row')}: ${examples}.`,
    existing: 'already exists in the datagrid',
    rowsExist: (rows: number, column: string, examples: string) =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'has' : 'have'} a ${column} that already exists in the datagrid: ${examples}.`,
    repeated: 'repeats the value of an earlier row of the file',
    rowsRepeat: (rows: number, column: string, examples: string) =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'has' : 'have'} the ${column} of an earlier row of the file: ${examples}.`,
    keysRepeat: (rows: number, column: string, value: string, rowsOfValue: number) =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'has' : 'have'} the ${column} of an earlier row of the file: “${value}” is in ${countOf(rowsOfValue, 'row')}. They change the same row of the datagrid one after the other, and the last one wins.`,
    comparedFirst: (rows: number) =>
      `Only the first ${countOf(rows, 'row')} were compared with the rows of the datagrid. The import rejects other rows whose value in a unique column already exists.`,
    notCompared:
      'The file could not be compared with the rows of the datagrid. The import rejects rows whose value in a unique column already exists.',
    example: (value: string, place: string) => `“${value}” in ${place}`,
    /** Where a row is in the file. */
    places: {
      line: (line: number) => `line ${line.toLocaleString()}`,
      item: (item: number) => `item ${item.toLocaleString()}`,
    },
    /** Why the text of a cell of a workbook is no value. */
    faults: {
      error: 'has an error of the workbook',
      formula: 'has a formula without a value: open and save the workbook in a spreadsheet program',
    },
    wrongType: (expected: string) => `is not ${expected}`,
    missing: 'is required',
  },
  run: {
    converting: 'The file is being converted.',
    converted: (rows: number) => `The file is being converted: ${countOf(rows, 'row')} so far.`,
    sending: (file: string, percent: number) => `Sending ${file}: ${percent} %`,
    sent: (file: string) => `${file} has been sent. Its rows are being written.`,
    writing: (written: string, rejected: string, perSecond: string | undefined) =>
      `Rows: ${written} written, ${rejected} rejected${perSecond === undefined ? '' : `, ${perSecond} per second`}.`,
    progress: 'Progress of the import',
    stop: 'Stop the import',
    stopped: 'The import was stopped.',
    interrupted: 'The import was interrupted',
    failed: 'The import failed',
    retryHint: 'If you try again, no row is written twice.',
  },
  report: {
    stoppedEarly: 'The import was stopped early',
    complete: 'The import is complete',
    allRejected: 'Nothing was imported: all rows were rejected',
    someRejected: (rejected: string, rows: string) =>
      `Imported with errors: ${rejected} of ${rows} rows rejected`,
    counts: (counts: readonly string[]) => `Rows: ${counts.join(', ')}.`,
    count: {
      read: (rows: string) => `${rows} read`,
      created: (rows: string) => `${rows} created`,
      changed: (rows: string) => `${rows} changed`,
      unchanged: (rows: string) => `${rows} unchanged`,
      rejected: (rows: string) => `${rows} rejected`,
    },
    leftEmpty: (values: number) =>
      `${countOf(values, 'value')} of the file did not fit. ${values === 1 ? 'It was' : 'They were'} left empty.`,
    label: 'Rejected lines',
    lines: { line: 'Line', item: 'Item' },
    column: 'Column',
    reason: 'Reason',
    wrongValue: (value: string, reason: string) => `“${value}” ${reason}`,
    rest: 'Fix the rejected rows in a file with their reasons, and import it again',
    restCut: (errors: number) =>
      `Fix the rejected rows in a file with their reasons, and import it again. The file has only the first ${countOf(errors, 'row')} that the service rejected`,
    download: 'Download the rejected rows',
    detailedReason: (reason: string, detail: string) => `${reason} (${detail})`,
    columnReason: (column: string, reason: string) => `${column} ${reason}`,
    notYet: 'not imported yet',
    open: 'Open the datagrid',
  },
  undo: {
    undone: 'The import was undone',
    counts: (deleted: number, changed: number) =>
      `${countOf(deleted, 'row')} deleted, ${countOf(changed, 'row')} changed back.`,
    inTrash: 'The new datagrid is in the trash of its workspace.',
    failed: 'The import was not undone',
    start: 'Undo the import',
    startNew: 'Undo: move the datagrid to the trash',
    notPossible:
      'This import cannot be undone: it changed existing rows, and the datagrid kept no earlier versions of rows.',
    othersWrote: 'Others wrote rows while the import ran.',
  },
  /** Why a file or a row of it cannot be read. */
  read: {
    failed: (reason: string) => `The file cannot be read: ${reason}`,
    crashed: (reason: string) => `The file cannot be read: ${reason}.`,
    unknown: 'unknown',
    unknownError: 'unknown error',
    empty: 'The file is empty.',
    noRows: 'The file has no rows.',
    noObject: 'The file has no JSON object.',
    markup: 'This is a web page or XML. Open it in a spreadsheet, and save it as .xlsx or CSV.',
    oldExcel: 'This is an old Excel file (.xls). Save it as .xlsx or CSV.',
    badBytes: (encoding: string) =>
      `The row has bytes that are not ${encoding}. Correct them, or choose another encoding.`,
    byteAt: (byte: string | null, cell: number, character: number) =>
      `${byte === null ? '' : `${byte} at `}character ${character} of cell ${cell}`,
    faultyRow: (reason: string) => `The row ${reason}.`,
    lines: (first: number, last: number) => `lines ${first} to ${last}`,
    faultyHeader: (line: number, reason: string, detail: string | undefined) =>
      `Line ${line} cannot be read${detail === undefined ? '' : `: ${detail}`}. ${reason}`,
    fewCells: 'The row has fewer cells than there are columns.',
    manyCells: 'The row has more cells than there are columns.',
    unknownMember: (member: string) => `The member ${member} is not a column.`,
    invalidJson: 'The value is not valid JSON.',
    notObject: 'The value is not a JSON object.',
    repeatedMember: (member: string) => `The value has the member ${member} twice.`,
    longObject: (line: number) => `The object on line ${line} is too long.`,
    afterArray: (line: number) =>
      `The file continues after the JSON array that ends on line ${line}.`,
    openArray: 'The JSON array does not end. The file may be incomplete.',
    noWorkbook: 'The file is a ZIP file, but no Excel workbook (.xlsx). Save it as .xlsx or CSV.',
    noSheet: 'The workbook has no worksheet.',
    workbookSize: 'The workbook is larger than 50 MB. Save the sheet as CSV.',
    workbookUnpacked: 'The workbook is too large to be unpacked. Save the sheet as CSV.',
    workbookDamaged: 'The workbook is damaged.',
  },
};
