import { countOf } from './count-of';

/** Texts of the page of rows: edits, new and deleted rows, changes and the history. */
export const gridEditsText = {
  edits: {
    saving: 'Saving',
    unsaved: 'Not saved',
    rejected: 'Rejected',
    conflict: 'Changed by somebody else',
    noColumn: 'This column no longer exists.',
    othersChanged: 'Somebody else changed this row.',
  },
  unsaved: {
    count: (changes: number) =>
      changes === 1 ? 'One change is not saved' : `${changes} changes are not saved`,
    countWhy: (count: string, reason: string) => `${count}: ${reason}`,
    retry: 'Try again',
    show: (changes: number) => (changes === 1 ? 'Show it' : 'Show them'),
    title: 'Not saved',
    none: 'Everything is saved.',
    cell: (rowId: number, column: string) => `Id ${rowId}, ${column}`,
    saving: 'Saving.',
    copy: 'Copy',
    compare: 'Compare',
    discard: 'Discard',
  },
  /** Two users have changed the same row. */
  conflict: {
    changed: (rowId: number) => `Somebody else changed the row with id ${rowId} in the meantime`,
    deleted: (rowId: number) => `The row with id ${rowId} was deleted in the meantime`,
    changedHint:
      'Your change is not saved. Choose which one stays; the other columns stay as they are now.',
    deletedHint: 'Your change can no longer be saved. Copy what you typed before you discard it.',
    label: 'The versions',
    column: 'Column',
    before: 'Before',
    mine: 'Yours',
    theirs: 'Theirs',
    unchanged: 'not changed',
    copyMine: 'Copy mine',
    later: 'Decide later',
    keepTheirs: 'Keep theirs',
    discardMine: 'Discard mine',
    keepMine: 'Keep mine',
  },
  /** Actions on several cells. */
  blocks: {
    edit: 'Edit',
    cut: 'Cut',
    paste: 'Pasted',
    nothingPasted: 'No values changed.',
    clear: 'Cleared',
    fill: 'Filled',
    undo: 'Undo',
    redo: 'Redo',
    failed: 'Nothing was changed',
    notUndone: 'Values that were changed since were not overwritten.',
    tooManyCopied: (most: string) =>
      `At most ${most} rows can be copied at once. Export the rows instead.`,
    tooManyChanged: (rows: string, most: string) =>
      `This would change ${rows} rows. At most ${most} rows can be changed at once. Import a file to change more.`,
  },
  paste: {
    title: (values: number) => `${countOf(values, 'value')} cannot be pasted`,
    hint: 'Nothing has been pasted yet.',
    row: 'Row',
    column: 'Column',
    value: 'Value',
    problem: 'Problem',
    rows: (count: number, named: string) =>
      count === 1 ? named : `${countOf(count, 'row')}: ${named}`,
    listed: (texts: readonly string[], isCut: boolean) =>
      isCut ? `${texts.join(', ')} …` : texts.join(', '),
    more: (values: number) => `And ${countOf(values, 'more value')}.`,
    cancel: 'Cancel',
    apply: 'Paste the rest',
    numberedColumn: (position: number) => `Column ${position}`,
    readOnlyId: 'Ids cannot be changed.',
    readOnly: 'The service sets the values of this column.',
    noColumn: 'There is no such column.',
    wholeRow: 'The row',
  },
  newRow: {
    saving: 'Saving the new row',
    notSaved: (reason: string) => `New row, not saved. ${reason}`,
    pressEnter: 'Press Enter to add it.',
    waiting: (count: number) =>
      count === 1 ? 'An earlier row was not saved.' : `${count} earlier rows were not saved.`,
    show: 'Show',
    check: (columns: readonly string[]) => `Check ${columns.join(', ')}.`,
    discard: 'Discard',
    step: 'New row',
    showAdded: 'Show all rows',
    addedElsewhere:
      'The row was added. The filter, the search or the sort order may place it elsewhere.',
    title: 'New row',
    submit: 'Add the row',
  },
  removeRows: {
    title: (rows: number) => (rows === 1 ? 'Delete this row?' : `Delete ${rows} rows?`),
    submit: 'Delete',
    changedTitle: 'Changed in the meantime',
    changed: (rows: number) =>
      `${rows === 1 ? 'One row was' : `${rows} rows were`} changed by somebody else since you saw them, and not deleted. Check them again, or delete them anyway.`,
    anyway: 'Delete anyway',
  },
  authors: {
    you: 'You',
    other: 'Another user',
    service: 'An operator or the service',
    /** The same authors within a sentence. */
    within: { you: 'you', other: 'another user', service: 'an operator or the service' },
    withKey: (user: string, key: string) => `${user}, with the key ${key}`,
    withOtherKey: (user: string) => `${user}, with an API key`,
    /** Before the time of a change. */
    before: (author: string) => `${author}, `,
  },
  /** Changes of others in the cells of the grid. */
  live: {
    somebody: 'Somebody',
    cells: (columns: string, rowId: number) => `changed ${columns} of the row with id ${rowId}`,
    rows: (rows: string) => `changed ${rows} rows`,
    andOthers: (columns: string, others: number) =>
      `${columns} and ${others} more ${others === 1 ? 'column' : 'columns'}`,
  },
  outdated: {
    columns: 'The columns have changed since these rows were loaded.',
    many: 'Many rows have changed since these rows were loaded.',
    rows: (rows: number) =>
      `${countOf(rows, 'row')} ${rows === 1 ? 'was' : 'were'} added, deleted or moved since these rows were loaded.`,
    refresh: 'Refresh the rows',
  },
  changes: {
    title: 'Changes',
    close: 'Close the changes',
    hint: 'Since you opened this page, newest first. New changes appear at once.',
    none: 'Nothing has changed yet.',
    label: 'Changes, newest first',
    notLoaded: (rowId: number) => `The row with id ${rowId} is not loaded in this view.`,
    kinds: {
      added: 'Added',
      changed: 'Changed',
      deleted: 'Deleted',
      columns: 'Columns changed',
    },
    whole: 'The row was not loaded before. It now has:',
    row: (rowId: number) => `Row with id ${rowId}`,
    others: (values: number) => `and ${countOf(values, 'more value')}`,
  },
  history: {
    open: 'History',
    title: (rowId: number) => `History of the row with id ${rowId}`,
    label: 'Writes, newest first',
    none: 'No write of this row is stored.',
    earlier: 'Show earlier writes',
    operations: { created: 'Created', updated: 'Updated', deleted: 'Deleted' },
    /** After the time of the newest write. */
    current: ', current',
    notStored: 'The values were not stored.',
    removedColumns: (keys: readonly string[]) =>
      `Values of removed columns cannot be read: ${keys.join(', ')}`,
    restoreVersion: 'Restore this version',
    restore: 'Restore',
    restoreValue: (column: string, value: string) => `Restore ${column} to ${value}`,
    restored: 'The row is restored.',
    valueRestored: (column: string) => `${column} is restored.`,
    notRestored: 'Not restored',
    othersChanged:
      'The row has changed since. Its history is up to date now. Check it and try again.',
    off: 'History is off',
    offHint:
      'Earlier values of rows are not kept in this datagrid. If history is on, each write keeps the values that it replaces, for 90 days by default.',
    turnOn: 'Turn history on',
  },
};
