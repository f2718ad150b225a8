import { indexedColumnValues } from '../../src/rows/storage/index-entries-sql';

/** Rows of a datagrid that share a value of the text column: one page. */
export const ROWS_A_CUSTOMER = 20;
/** Datagrids with other values than each other. Later datagrids have the values of earlier ones. */
export const VARIANTS = 50;

/** Seven columns of which two are indexed: one whose values compare as text, one of numbers. */
export const MANY_COLUMNS = [
  { key: 'customer', type: 'text', indexed: true },
  { key: 'price', type: 'number', indexed: true },
  { key: 'email', type: 'email' },
  { key: 'paid', type: 'boolean' },
  { key: 'orderedOn', type: 'date' },
  { key: 'status', type: 'select', options: { choices: ['open', 'paid', 'shipped', 'closed'] } },
  { key: 'note', type: 'text' },
] as const;

/** Returns the number of values of the text column in a datagrid of `rows` rows. */
export const customersOf = (rows: number): number =>
  Math.max(1, Math.round(rows / ROWS_A_CUSTOMER));

export const customer = (n: number): string => `Customer ${String(n)}`;

/**
 * Returns the values of row `index` of a datagrid. Neighboring rows have distant values of the indexed
 * columns, as rows that people enter do.
 */
export function manyValues(variant: number, index: number, rows: number): Record<string, unknown> {
  const n = variant * rows + index;
  return {
    customer: customer((index * 7_919) % customersOf(rows)),
    price: ((n * 7_907) % 10_000) / 4,
    email: `person${String(n)}@example.com`,
    paid: n % 2 === 0,
    orderedOn: '2026-03-14',
    status: 'paid',
    note: `Order ${String(n)} of the benchmark.`,
  };
}

/** Consecutive rows of a datagrid, to be created by one statement. */
export interface RowBatch {
  readonly count: number;
  /** JSON array of their values, as a client sends them. */
  readonly json: string;
}

/** Returns the rows of a datagrid in batches of up to `batchRows`. */
export function batchesOf(variant: number, rows: number, batchRows: number): RowBatch[] {
  const batches: RowBatch[] = [];
  for (let from = 0; from < rows; from += batchRows) {
    const count = Math.min(batchRows, rows - from);
    const values = Array.from({ length: count }, (_, n) => manyValues(variant, from + n, rows));
    batches.push({ count, json: JSON.stringify(values) });
  }
  return batches;
}

/** Returns the mean size of the values of a row as JSON without white space, in bytes. */
export function rawRowBytes(rows: number): number {
  const sizes = Array.from({ length: VARIANTS }, (_, variant) =>
    batchesOf(variant, rows, rows).map(({ json }) => Buffer.byteLength(json)),
  ).flat();
  // Without the two brackets of each array. The commas between rows stand for the ends of lines.
  const bytes = sizes.reduce((sum, size) => sum + size - 1, 0);
  return bytes / (VARIANTS * rows);
}

/** `together`: all rows of a datagrid, then those of the next. `in turns`: a batch of each datagrid. */
export type Arrival = 'together' | 'in turns';

/** A batch of a datagrid, by their numbers. */
export interface Arriving {
  readonly datagrid: number;
  readonly batch: number;
}

/** Returns the batches of all datagrids in the order in which they are created. */
export function* arrivals(
  datagrids: number,
  batches: number,
  arrival: Arrival,
): Generator<Arriving> {
  for (let n = 0; n < datagrids * batches; n += 1) {
    yield arrival === 'together'
      ? { datagrid: Math.floor(n / batches), batch: n % batches }
      : { datagrid: n % datagrids, batch: Math.floor(n / datagrids) };
  }
}

/**
 * Returns the six parameters of the indexed columns of a new datagrid, whose columns are numbered from
 * 1 and stored by key.
 */
export function indexedParameters(): unknown[] {
  const indexed = MANY_COLUMNS.flatMap(({ key, type, ...column }, n) =>
    'indexed' in column ? [{ id: n + 1, slot: key, type, options: {} }] : [],
  );
  return indexedColumnValues({ indexed });
}

/** Returns the id of a column of a new datagrid. */
export const columnIdOf = (key: string): number =>
  MANY_COLUMNS.findIndex((column) => column.key === key) + 1;
