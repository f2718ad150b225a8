/** Texts of columns that link to rows. */
export const linksText = {
  /** Fields of the form of a column. */
  column: {
    datagrid: 'Linked datagrid',
    datagridHint: 'Rows link to rows of this datagrid. It never changes.',
    fixedHint: 'It never changes. To link to another datagrid, add another column.',
    choose: 'Find a datagrid',
    own: (name: string) => `${name} (this datagrid)`,
    noneFound: 'No datagrid matches.',
    failed: 'The datagrids were not loaded.',
    cut: (count: number) => `The first ${count.toLocaleString()} datagrids are listed.`,
    noDatagrid: 'Choose a datagrid.',
    noLink: 'Choose a link column.',
    noColumn: 'Choose a column.',
    onDelete: 'If a linked row is deleted',
    policies: {
      restrict: {
        label: 'Prevent the deletion',
        hint: 'The linked row cannot be deleted while rows link to it.',
      },
      clear: {
        label: 'Remove the links',
        hint: 'The rows with the links stay. The column cannot be required.',
      },
      cascade: {
        label: 'Delete the rows with the links, too',
        hint: 'This also follows the links to these rows.',
      },
    },
    linksTo: 'Links to ',
    removeHint:
      'The linked rows stay as they are. If you restore the column, it has the ids of the rows as numbers or JSON, and no links.',
  },
  /** Fields of the form of a computed column. */
  computed: {
    choose: 'Choose a column',
    link: 'Link column',
    linkHint: 'The column of this datagrid whose linked rows have the values.',
    noLinks: 'This datagrid has no link column yet. Add a column “Link to a row” first.',
    column: 'Column to show',
    columnHint:
      'A column of the linked datagrid. Its values are shown here, read-only, and follow each change.',
    noColumns: (datagrid: string) => `${datagrid} has no column whose values can be shown.`,
    datagrid: 'Datagrid with the linking rows',
    datagridHint: 'Its rows link to rows of this datagrid. They are counted.',
    counted: 'Link column to count',
    countedHint:
      'The column of that datagrid that links to this one. Each row shows how many rows link to it, read-only.',
    noLinkingColumns: (datagrid: string) =>
      `No column of ${datagrid} links to this datagrid. Choose another datagrid, or add a link column there first.`,
    noneFound: 'No column matches.',
    failed: 'The columns were not loaded.',
    titleAndKey: (title: string, key: string) => `${title} (${key})`,
    of: ' of ',
    fixedHint: 'It never changes. To read another column, add another computed column.',
    broken:
      'A column that this one reads was removed, so it has no values. It has them again if you restore that column.',
    shows: (column: string, link: string) => `Shows ${column} of the rows that ${link} links to`,
    counts: <T>(column: string, datagrid: T) => [
      'Counts the rows of ',
      datagrid,
      ` that link to the row in ${column}`,
    ],
  },
  /** Chips in cells, forms and cards. */
  chips: {
    open: (row: string) => `Open ${row}`,
    more: (count: number) => `+${count.toLocaleString()}`,
  },
  picker: {
    find: 'Find a row',
    list: (title: string) => `Rows for ${title}`,
    remove: (row: string) => `Remove ${row}`,
    row: (id: string) => `Row ${id}`,
    withId: (id: string) => `Id ${id}`,
    takeId: (id: string) => `Row with id ${id}`,
    loading: 'Searching …',
    none: 'No row matches. You can also type an id.',
    failed: (message: string) => `The rows were not searched: ${message}`,
    noAccess:
      'You have no access to the linked datagrid, so only ids are shown. You can type the id of a row.',
    noTitle: 'The linked datagrid has no text column. Type the id of a row.',
    limited: (column: string, rows: string) =>
      `Only the rows with ids up to ${rows} are searched. To search all of them, index “${column}” in the linked datagrid.`,
    startsWith: (column: string) => `Rows whose “${column}” starts with the text are listed.`,
  },
  filter: {
    rows: 'Rows',
    row: 'Row',
    missing: 'Choose a row.',
    wrongId: 'Choose a row, or enter its id.',
  },
  imports: {
    id: <T>(datagrid: T) => ['The values are ids of rows of ', datagrid, '.'],
    ids: <T>(datagrid: T) => ['The values are JSON arrays of ids of rows of ', datagrid, '.'],
  },
  row: {
    missing: (id: string) => `The row with id ${id} does not exist or is in the trash.`,
  },
  errors: {
    restricted: (rows: number) =>
      rows === 1
        ? 'Nothing was deleted, because a row links to a row that you selected:'
        : `Nothing was deleted, because ${rows} links lead to rows that you selected:`,
    row: (id: string, datagrid: string) => `Row ${id} of ${datagrid}`,
    link: <T>(row: T, target: string, column: string) => [
      row,
      ` links to row ${target} in column “${column}”`,
    ],
    trashed: <T>(id: string, datagrid: T, target: string) => [
      `Row ${id} of `,
      datagrid,
      `, which is in the trash, links to row ${target}. Restore that datagrid, or delete it permanently.`,
    ],
    advice:
      'Remove these links first, or change what happens to them in the settings of the column.',
    datagrid: <T>(column: string, datagrid: T) => [
      `The column “${column}” of `,
      datagrid,
      ' links to this datagrid. Remove this column first, or delete the other datagrid.',
    ],
    restore: <T>(column: string, datagrid: T) => [
      `The column “${column}” links to `,
      datagrid,
      ', which is in the trash. Restore that datagrid first.',
    ],
  },
};
