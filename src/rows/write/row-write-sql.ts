import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { Statement } from '../../platform/database/text-query';
import { enterRows, indexedColumnValues } from '../storage/index-entries-sql';
import { decompressed } from '../storage/row-json-sql';
import { uniqueColumnValues, uniqueHashes } from '../storage/unique-sql';

/** The unique and the indexed columns of rows. */
type EnteredColumns = Pick<DatagridSchema, 'unique' | 'indexed'>;

/** The side tables that a statement writes in addition to `rows`. */
export interface Entered {
  readonly hasUnique: boolean;
  readonly hasIndex: boolean;
}

/** Number of parameters of the unique and of the indexed columns. */
const UNIQUE_PARAMETERS = 3;
const INDEX_PARAMETERS = 6;

/** Returns the parameter that follows those of the columns in `entered`, which start at `$first`. */
export function parameterAfter({ hasUnique, hasIndex }: Entered, first: number): number {
  return first + (hasUnique ? UNIQUE_PARAMETERS : 0) + (hasIndex ? INDEX_PARAMETERS : 0);
}

/** Returns the side tables that a statement writes for rows of these columns. */
export const enteredOf = ({ unique, indexed }: EnteredColumns): Entered => {
  return { hasUnique: unique.length > 0, hasIndex: indexed.length > 0 };
};

/** Returns the parameters of the unique and the indexed columns, if there are any. */
export function enteredValues(columns: EnteredColumns): unknown[] {
  const { hasUnique, hasIndex } = enteredOf(columns);
  return [
    ...(hasUnique ? uniqueColumnValues(columns) : []),
    ...(hasIndex ? indexedColumnValues(columns) : []),
  ];
}

/** Returns the part of a statement's name that distinguishes the variants of the statement. */
export function enteredSuffix({ hasUnique, hasIndex }: Entered): string {
  return `${hasUnique ? '-unique' : ''}${hasIndex ? '-indexed' : ''}`;
}

/**
 * Creates a variant of a statement for each kind of datagrid. Datagrids without unique or indexed
 * columns have a smaller statement, which PostgreSQL sets up faster.
 */
export function forEachKind(
  make: (entered: Entered) => Statement,
): (entered: Entered) => Statement {
  const [plain, indexed, unique, both] = [
    make({ hasUnique: false, hasIndex: false }),
    make({ hasUnique: false, hasIndex: true }),
    make({ hasUnique: true, hasIndex: false }),
    make({ hasUnique: true, hasIndex: true }),
  ];
  return ({ hasUnique, hasIndex }) => {
    if (hasUnique) return hasIndex ? both : unique;
    return hasIndex ? indexed : plain;
  };
}

/** Like `forEachKind`, with two variants of each: one for datagrids whose history is on. */
export function forEachKindAndHistory(
  make: (entered: Entered, keepsHistory: boolean) => Statement,
): (entered: Entered, keepsHistory: boolean) => Statement {
  const [without, withHistory] = [false, true].map((keepsHistory) =>
    forEachKind((entered) => {
      const { name, ...texts } = make(entered, keepsHistory);
      return { name: keepsHistory ? `${name}-history` : name, ...texts };
    }),
  ) as [(entered: Entered) => Statement, (entered: Entered) => Statement];
  return (entered, keepsHistory) => (keepsHistory ? withHistory : without)(entered);
}

/** How a statement creates rows. Each part is SQL. */
interface Insertion {
  /** Common table expressions that the other parts use. */
  readonly given: string;
  /** What has one row for each row to create. */
  readonly from: string;
  readonly id: string;
  readonly values: string;
  readonly revision: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What is returned of the rows, which are `r`: their `id` and `values`, and what `result` uses. */
  readonly returning?: string;
  /** Common table expressions that follow `created`, separated by commas. */
  readonly then: string;
  /** Number of the first parameter of the unique and the indexed columns. */
  readonly columnsFrom: number;
  /** Whether many rows are created, whose index entries are sorted first. */
  readonly sorts?: boolean;
  /** Query that returns the result of the statement. */
  readonly result: string;
}

/**
 * Returns a statement that creates rows with their claims on unique values and their index entries. All rows are
 * created by such a statement: new ones, those of an import, and deleted ones. It has the columns in
 * `uniqueColumnValues` and then `indexedColumnValues` as parameters from `columnsFrom` on, if there are any.
 */
export function insertRows(entered: Entered, insertion: Insertion): string {
  const { given, from, id, values, revision, createdAt, updatedAt, then, result } = insertion;
  const { returning = 'r.id, r."values"', columnsFrom, sorts = false } = insertion;
  return `
    WITH ${given}${given === '' ? '' : ', '}created AS (
      INSERT INTO rows AS r (datagrid_id, id, "values", revision, created_at, updated_at)
      SELECT $1, ${id}, ${values}, ${revision}, ${createdAt}, ${updatedAt}
      FROM ${from}
      RETURNING ${returning}
    ), ${then}${entered.hasUnique ? claims(columnsFrom) : ''}${entered.hasIndex ? entries(entered, columnsFrom, sorts) : ''}
    ${result}`;
}

const claims = (first: number): string => `, claimed AS (
      INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
      SELECT $1, e.column_id, e.hash, r.id
      FROM ${uniqueHashes(`SELECT id, ${decompressed('"values"')} AS "values" FROM created`, first)}
    )`;

const entries = ({ hasUnique }: Entered, first: number, sorts: boolean): string =>
  `, ${enterRows('created', parameterAfter({ hasUnique, hasIndex: false }, first), sorts)}`;
