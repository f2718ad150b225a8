import type { JsonValue } from '../../common/json/token-reader';

/**
 * Reason why a column rejects a value:
 * - `wrong_type`: not the JSON type of the column;
 * - `invalid_format`: a string that is not in the format of the column type;
 * - `out_of_range`: the right format, but too large, too small, too long, or not an existing date;
 * - `excess_precision`: more digits after the decimal point than the column stores;
 * - `not_a_choice`: not among the column's choices;
 * - `duplicate_choice`: contains a choice twice;
 * - `duplicate_link`: contains the id of a row twice;
 * - `read_only`: a value of a computed column.
 */
export type ValueProblem =
  | 'wrong_type'
  | 'invalid_format'
  | 'out_of_range'
  | 'excess_precision'
  | 'not_a_choice'
  | 'duplicate_choice'
  | 'duplicate_link'
  | 'read_only';

/** The normal form of a value, to be stored as JSON, or the reason for its rejection. */
export type Checked =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly code: ValueProblem; readonly message: string };

/**
 * Checks one value that `readJson` has parsed, never null or undefined, which mean no value. The
 * normal form of a normal form is itself.
 */
export type ValueCheck = (value: unknown) => Checked;

export function accept(value: JsonValue): Checked {
  return { ok: true, value };
}

export function reject(code: ValueProblem, message: string): Checked {
  return { ok: false, code, message };
}

/**
 * What happens to the links to a row that is deleted: the deletion is rejected, the links are cleared,
 * or the rows with the links are deleted too.
 */
export const DELETE_POLICIES = ['restrict', 'clear', 'cascade'] as const;

export type DeletePolicy = (typeof DELETE_POLICIES)[number];

/** Settings of a column in addition to its type. */
export interface ColumnOptions {
  /** Allowed values in display order. For types that have choices only. */
  readonly choices?: readonly string[];
  /** Datagrid whose rows the values are. For types that link to rows only, like `onDelete`. */
  readonly datagridId?: string;
  readonly onDelete?: DeletePolicy;
  /** Whether values that differ only in case are equal. For types with `mayIgnoreCase` only. */
  readonly ignoreCase?: boolean;
  /** Key of a link column of the same datagrid. For lookups only, as clients send it. */
  readonly link?: string;
  /**
   * Key of a column: for a lookup, of the linked datagrid; for a count, of `datagridId`. As clients send
   * it.
   */
  readonly column?: string;
  /** Whether a column that a computed column reads is gone. Only in responses. */
  readonly broken?: true;
  /** Id of the column `link`, as stored. */
  readonly linkId?: number;
  /** Id of the column `column`, as stored. */
  readonly columnId?: number;
  /** First number of a column of numbers that the service assigns. For that type only. */
  readonly start?: number;
}

/** Bytes that separate the items of a stored array. */
export const BYTES_PER_ITEM = 4;

/**
 * What the service sets values from: the number of the row, the author who created it, or the one who
 * last changed it.
 */
export type ValueSource = 'number' | 'creator' | 'updater';

/** JSON type of the values of a column type. Named as in `jsonb_typeof`. */
export type ValueJsonType = 'string' | 'number' | 'boolean' | 'array';

/** JSON type of a stored value, as `jsonb_typeof` names it. */
export type StoredJsonType = ValueJsonType | 'object';

/**
 * Converts a stored value to a value of another column type, which the check of the type checks
 * afterwards. Exact: nothing is rounded or truncated, and digits are read as text.
 * @param text The value as text: a string as is, any other value as PostgreSQL prints JSON.
 * @returns `undefined` if the type has no such value.
 */
export type ValueConversion = (
  text: string,
  jsonType: StoredJsonType,
  options: ColumnOptions,
) => JsonValue | undefined;

/**
 * Group of filter operators. `src/rows/query/filter/operators.ts` lists the operators of each group:
 * - `presence`: `$isNull`;
 * - `equality`: `$eq`, `$in` and their opposites;
 * - `order`: greater and less;
 * - `search`: parts of a text. `q` searches the columns whose type has this group;
 * - `choice`: choices in a list;
 * - `linked`: ids of rows in a list.
 */
export type OperatorGroup = 'presence' | 'equality' | 'order' | 'search' | 'choice' | 'linked';

/** Description of a column type: everything that the service knows of the type's values. */
export interface ColumnTypeDescriptor {
  /** Describes the values for clients: in the OpenAPI document and in the API guide. */
  readonly description: string;

  /** Returns the check of a column's values. Called once per column. */
  readonly checkFor: (options: ColumnOptions) => ValueCheck;
  /** Whether a column of this type needs `options.choices`. */
  readonly hasChoices: boolean;
  /** Whether values are ids of rows of the datagrid `options.datagridId`. Absent for no. */
  readonly isLink?: true;
  /** What the service sets the values from. Absent if clients set them. */
  readonly source?: ValueSource;

  /** Whether a column can have `options.ignoreCase`. Absent for no. */
  readonly mayIgnoreCase?: true;
  /** Whether values are computed when rows are read, and never stored. Absent for no. */
  readonly isComputed?: true;

  /** JSON type of every stored value; `null` if the type stores values of any JSON type. */
  readonly jsonType: ValueJsonType | null;
  /**
   * Returns the maximum length of a stored value in bytes: UTF-8 without escapes, and for an array
   * four more bytes per item. `null` if the column accepts every value of the JSON type.
   */
  readonly maxBytes: (options: ColumnOptions) => number | null;
  /**
   * JSON type whose stored values, of any column type, are all valid values of this type. A column
   * can then change to this type without a check of its rows. `any` for all types.
   */
  readonly holdsEvery: ValueJsonType | 'any' | null;
  /**
   * Converts a value of another column type, if a client changes the type with `convert`. `null` if
   * the type holds every value.
   */
  readonly convert: ValueConversion | null;

  /**
   * Order of values in indexes and sorts: `text` by code point, `number` exactly. `null` if values
   * cannot be compared, so that a column can be neither sorted, indexed nor unique. Dates and
   * timestamps are stored in a form that sorts as text.
   */
  readonly comparedAs: 'text' | 'number' | null;
  /**
   * Whether a value can have more than the 600 characters that an index entry holds, so that the
   * entry may be only its beginning. Queries then read the row to compare long values.
   */
  readonly mayBeTruncated: boolean;
  /**
   * Whether values are decimal numbers as text, which can be equal in several notations (1.5 and
   * 1.50). Uniqueness then compares them as `numeric`; for other types, it compares the stored form.
   */
  readonly isDecimalText: boolean;

  /** Filter operators that the type supports, in the order in which errors name them. */
  readonly operators: readonly OperatorGroup[];
  /**
   * Checks an operand of a filter, and converts it to the form in which values are stored. `null` if
   * an operand is checked as a value.
   */
  readonly checkOperand: ((operand: unknown, options: ColumnOptions) => Checked) | null;

  /**
   * Notation of a value in a CSV cell. An import converts the cell to JSON and checks that value.
   */
  readonly cell: 'text' | 'number' | 'boolean' | 'json';
  /**
   * Returns whether a CSV cell can belong to a new column of this type. `null` if an import creates
   * no columns of the type.
   */
  readonly fitsCell: ((cell: string) => boolean) | null;
  /** Whether a spreadsheet may take a value in a CSV cell for a formula. */
  readonly mayBeFormula: boolean;
}
