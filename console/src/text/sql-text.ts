import { countOf } from './count-of';
import { quoted } from './words';

/** Texts of the SQL page. */
export const sqlText = {
  title: 'SQL',
  intro:
    'Run one SELECT over the datagrids of this workspace. The result includes all saved changes.',
  editor: 'Statement',
  example: (table: string) => `SELECT * FROM ${table} LIMIT 100`,
  placeholder: 'SELECT …',
  run: 'Run',
  runKeys: 'Ctrl+Enter, or ⌘Enter',
  cancel: 'Cancel',
  running: 'Running. The first statement loads the tables, which can take some seconds.',
  canceled: 'Canceled',
  done: (rows: number, seconds: string) => `${countOf(rows, 'row')} in ${seconds} s`,
  truncated: (rows: string) =>
    `These are the first ${rows} rows. Download the result to get all of them.`,
  failed: 'The statement failed',
  noRows: 'The result has no rows.',
  noResult: 'Run the statement to see its result here.',
  result: 'Result',
  views: { table: 'Table', chart: 'Chart' },
  show: 'Show the result as',
  kinds: { bar: 'Bars', line: 'Lines' },
  kind: 'Kind of chart',
  chartOf: (values: string, labels: string) => `Chart of ${values} by ${labels}`,
  rowNumber: 'row number',
  noChart: 'A chart needs a column of numbers. Add one, such as count(*).',
  chartCut: (points: string) => `The chart shows the first ${points} rows.`,
  copyCsv: 'Copy as CSV',
  download: 'Download',
  csv: 'All rows as CSV',
  ndjson: 'All rows as NDJSON',
  incomplete: 'The file is incomplete. Download it again.',
  saved: {
    choose: 'Saved queries',
    none: 'No saved query',
    create: 'New statement',
    save: 'Save',
    saveAs: 'Save as…',
    saveTitle: 'Save the statement',
    changed: 'Unsaved changes',
    revert: 'Discard changes',
    actions: 'Actions for this query',
    renameTitle: (name: string) => `Rename ${quoted(name)}`,
    deleteTitle: (name: string) => `Delete ${quoted(name)}?`,
    deleteMessage: 'The query is deleted for all users of the workspace. No data is deleted.',
    conflict:
      'Somebody else has changed this query since you opened it. Save yours under another name, or discard your changes to see theirs.',
    notSaved: 'The query was not saved',
  },
};
