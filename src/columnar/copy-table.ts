import {
  COLUMN_TYPES,
  ignoresCase,
  isComparedAsNumber,
  isSearched,
} from '../datagrids/column-type/column-type';
import type { SchemaColumn } from '../datagrids/schema/datagrid-schema';
import type { QueryColumn } from '../rows/query/query-column';

/** How a copy stores the values of a column. */
export type CopyKind =
  | 'text'
  | 'integer'
  | 'double'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  /** Texts of a list. */
  | 'texts'
  /** Ids of a list. */
  | 'ids'
  /** JSON of any type, as text. */
  | 'json'
  /** Only whether there is a value. */
  | 'presence';

/** Digits of a DECIMAL: in all, and after the point. */
export interface DecimalType {
  readonly digits: 18 | 38;
  readonly scale: number;
}

/** The type of a decimal column, which grows with its values. */
export interface FittedDecimal extends DecimalType {
  /** Most digits before the point that a value had. */
  readonly whole: number;
}

/** A column of a copy, named by the id of the datagrid's column. */
export interface CopyColumn {
  readonly id: number;
  readonly slot: string;
  readonly kind: CopyKind;
  /** Whether there is a second column, with the text in lower case. */
  readonly isFolded: boolean;
  /** For decimals: the type that holds all values of the column; `null` if none does. */
  readonly decimal: FittedDecimal | null;
}

/** A table of the columnar database, which has the rows of a datagrid. */
export interface CopyTable {
  readonly name: string;
  readonly columns: ReadonlyMap<number, CopyColumn>;
}

/** Thrown if a copy cannot give the exact result of a query. PostgreSQL then runs it. */
export class NotServedError extends Error {
  constructor(reason: string) {
    super(`A columnar copy cannot give the exact result: ${reason}`);
  }
}

/** Type that holds the first values of a column. It grows with them. */
const NARROWEST: FittedDecimal = { digits: 18, scale: 0, whole: 0 };

/** Returns how a copy stores a column, before it has values. */
export function copyColumnOf(column: SchemaColumn): CopyColumn {
  const { id, slot, type } = column;
  const kind = kindOf(column);
  return {
    id,
    slot,
    kind,
    isFolded: kind === 'text' && (ignoresCase(column) || isSearched(type)),
    decimal: kind === 'decimal' ? NARROWEST : null,
  };
}

function kindOf({ type }: SchemaColumn): CopyKind {
  const { comparedAs, operators } = COLUMN_TYPES[type];
  if (type === 'number' || type === 'decimal') return 'decimal';
  if (isComparedAsNumber(type)) return 'integer';
  if (type === 'boolean' || type === 'date' || type === 'datetime') return type;
  if (comparedAs === 'text') return 'text';
  if (operators.includes('choice')) return 'texts';
  return operators.includes('linked') ? 'ids' : 'presence';
}

/** A value of each row, as SQL, and how it is compared. */
export interface CopyValue {
  readonly sql: string;
  readonly kind: CopyKind;
  readonly decimal: DecimalType | null;
}

const ATTRIBUTES: ReadonlyMap<string, CopyValue> = new Map([
  ['_id', { sql: 'id', kind: 'integer', decimal: null }],
  ['_revision', { sql: 'revision', kind: 'integer', decimal: null }],
  ['_createdAt', { sql: 'created_at', kind: 'datetime', decimal: null }],
  ['_updatedAt', { sql: 'updated_at', kind: 'datetime', decimal: null }],
]);

/**
 * Returns the value in which rows are compared: in lower case if the column ignores case.
 * @throws NotServedError
 */
export function comparedValue(table: CopyTable, column: QueryColumn): CopyValue {
  if (column.attribute) return attribute(column);
  return ignoresCase(column) ? foldedValue(table, column) : writtenValue(table, column);
}

/** Returns the value as it was written. @throws NotServedError */
export function writtenValue(table: CopyTable, column: QueryColumn): CopyValue {
  const { id, kind, decimal } = copyColumn(table, column);
  if (kind === 'decimal' && decimal === null) throw new NotServedError('a number does not fit');
  return { sql: valueName(id), kind, decimal };
}

/** Returns the text in lower case. @throws NotServedError */
export function foldedValue(table: CopyTable, column: QueryColumn): CopyValue {
  const { id, isFolded } = copyColumn(table, column);
  if (!isFolded) throw new NotServedError('it has no text in lower case');
  return { sql: foldedName(id), kind: 'text', decimal: null };
}

function attribute({ key }: QueryColumn): CopyValue {
  const found = ATTRIBUTES.get(key);
  if (!found) throw new NotServedError('it does not have the attribute');
  return found;
}

function copyColumn({ columns }: CopyTable, { id }: QueryColumn): CopyColumn {
  const found = columns.get(id);
  if (!found) throw new NotServedError('it does not have the column');
  return found;
}

/** Name of the column with the values. */
export const valueName = (id: number): string => `v${String(id)}`;
/** Name of the column with the texts in lower case. */
export const foldedName = (id: number): string => `f${String(id)}`;
/** Name of the column with the number of digits after the point, as written. */
export const scaleName = (id: number): string => `s${String(id)}`;

/** Returns the SQL of a type. */
export const decimalSql = ({ digits, scale }: DecimalType): string =>
  `DECIMAL(${String(digits)}, ${String(scale)})`;
