/** Where the service is, and the key of an owner. */
export const ORIGIN = process.env['ORIGIN'] ?? '';
export const API_KEY = process.env['API_KEY'] ?? '';

/** Three rows, of which two fit on a page. */
export const ROWS = [
  { values: { iata: 'ZRH', name: 'Zurich', size: 'large' } },
  { values: { iata: 'BRN', name: 'Bern', size: 'small' } },
  { values: { iata: 'BSL', name: 'Basel', size: 'small' } },
];

export const FILE = 'iata,name,size\nGVA,Geneva,large\nLUG,Lugano,small\n';

/** The answers of the service, as each client has read them. The test knows them. */
export interface Answers {
  /** Keys of the columns of the new datagrid, and the default value of the last one. */
  readonly columns: readonly string[];
  readonly defaultValue: unknown;
  /** Names in rows that were created as a list, and the ID of a row that was created alone. */
  readonly created: readonly unknown[];
  readonly createdAlone: number | undefined;
  readonly page: {
    readonly ids: readonly number[];
    readonly total: number | undefined;
    readonly totalPages: number | undefined;
  };
  /** IDs on each page by cursor. */
  readonly cursorPages: readonly (readonly number[])[];
  readonly found: readonly unknown[];
  readonly upserted: readonly string[];
  readonly batch: readonly string[];
  readonly imported: number;
  /** The column `iata` of the exported file. */
  readonly exported: readonly string[];
  readonly missing: { readonly status: number; readonly code: string };
  readonly duplicate: {
    readonly status: number;
    readonly code: string;
    readonly fields: readonly string[];
  };
  /** Number of columns of the datagrid after it was restored from the trash. */
  readonly restoredColumns: number | undefined;
  /** Name of the workspace after it was restored from the trash. */
  readonly restoredWorkspace: string;
}

/** Prints the answers for the test. */
export const print = (answers: Answers): void => {
  process.stdout.write(JSON.stringify(answers));
};

/** Returns the column `iata` of the lines of an export. */
export const codesOf = (lines: string): string[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { iata: string }).iata);
