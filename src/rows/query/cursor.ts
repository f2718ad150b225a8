import { type DetailCode, invalidRequest } from '../../common/error/app-error';
import { cursorOwner } from '../../common/paging/page-request';
import { isComparable, isComparedAsNumber } from '../../datagrids/column-type/column-type';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { operandSql, type SqlParameters } from './filter/value-sql';
import { ATTRIBUTE_NAMES, findQueryColumn, type QueryColumn, rejectComputed } from './query-column';

/** Position of a keyset scan: the sort values and the id of the last row returned. */
export interface CursorPosition {
  /** Sort values as text, in the order of the sort keys; `null` for no value. */
  readonly values: readonly (string | null)[];
  readonly rowId: number;
}

const VERSION = 2;
/**
 * Separates the datagrid from the rest of the head. Releases that do not know it read up to here, so
 * that a reader can change between them while they replace each other.
 */
const HEAD_END = '=';
/** Prefix of every value, so that an empty part means no value instead of an empty text. */
const VALUE_PREFIX = '=';

/** A number without exponent. A double has up to 309 digits before the point, and 340 after it. */
const NUMBER = /^-?\d{1,400}(\.\d{1,400})?$/;
/** Maximum length of the head (version, column ids, row id, view and datagrid), in characters. */
const MAX_HEAD_LENGTH = 200;
/** A value of `_id` or `_revision`: fits a bigint. */
const INTEGER = /^\d{1,18}$/;
const ROW_ID = /^[1-9]\d{0,15}$/;

/** Returns text that identifies the sort order of a cursor. */
function orderOf(sort: readonly SortKey[]): string {
  return sort
    .map(({ column: { id, key, attribute }, isDescending }) => {
      return `${isDescending ? '-' : ''}${attribute ? key : String(id)}`;
    })
    .join();
}

/**
 * Returns a cursor, which is opaque to clients: version, order, row id, view and datagrid, then each
 * sort value.
 * Dots separate the parts, so that a forged cursor of any length costs next to nothing to reject.
 */
export function encodeCursor(
  datagridId: string,
  sort: readonly SortKey[],
  { values, rowId }: CursorPosition,
  viewTag: string | null,
): string {
  const view = viewTag === null ? [] : [viewTag];
  const head = [VERSION, orderOf(sort), rowId, ...view].join(':');
  const [encoded, ...rest] = [
    head,
    ...values.map((value) => (value === null ? '' : VALUE_PREFIX + value)),
  ].map((part) => Buffer.from(part).toString('base64url'));
  return [`${encoded ?? ''}${HEAD_END}${cursorOwner(datagridId)}`, ...rest].join('.');
}

/**
 * Reads a cursor.
 * @param viewTag Identifies the rows and the order of the view; `null` without a view.
 * @throws AppError `invalid_request` if it is invalid, or of another datagrid, sort order or view.
 */
export function decodeCursor(
  datagridId: string,
  sort: readonly SortKey[],
  text: string,
  viewTag: string | null,
): CursorPosition {
  // Reads one part more than allowed, so that too many parts are detected.
  const parts = text.split('.', MAX_SORT_COLUMNS + 2);
  const [head = '', ...encoded] = parts;
  if (head.length > MAX_HEAD_LENGTH) throw malformedCursor();
  const [ownHead = '', owner] = head.split(HEAD_END);
  const [version, order, id = '', view] = decoded(ownHead).split(':');
  const rowId = ROW_ID.test(id) ? Number(id) : NaN;
  if (version !== String(VERSION) || !Number.isSafeInteger(rowId)) throw malformedCursor();
  // Cursors of earlier releases do not name their datagrid.
  if (owner !== undefined && owner !== cursorOwner(datagridId)) {
    throw invalidCursor('cursor_mismatch', 'was issued for another datagrid');
  }
  if ((view ?? null) !== viewTag) {
    const message =
      'was issued for a different view, or for another filter, sort order or search of it';
    throw invalidCursor('cursor_mismatch', message);
  }
  if (order !== orderOf(sort) || encoded.length !== sort.length) {
    throw invalidCursor('cursor_mismatch', 'was issued for a different sort order');
  }
  const values = encoded.map((part) => (part === '' ? null : valueOf(decoded(part))));
  if (!sort.every((key, index) => hasValidFormat(key, values[index] ?? null)))
    throw malformedCursor();
  return { values, rowId };
}

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('utf8');
}

function valueOf(part: string): string {
  if (!part.startsWith(VALUE_PREFIX)) throw malformedCursor();
  return part.slice(VALUE_PREFIX.length);
}

/**
 * Returns whether the value has a form that PostgreSQL prints for the key's column, and so can
 * parse.
 */
function hasValidFormat({ column }: SortKey, value: string | null): boolean {
  if (value === null) return column.attribute === undefined;
  if (column.attribute?.sqlType === 'bigint') return INTEGER.test(value);
  return isComparedAsNumber(column.type) ? NUMBER.test(value) : !value.includes('\0');
}

function malformedCursor(): Error {
  return invalidCursor('invalid_format', 'is not a valid cursor');
}

function invalidCursor(code: DetailCode, message: string): Error {
  return invalidRequest([{ field: 'cursor', code, message }]);
}

const MAX_SORT_COLUMNS = 4;

export interface SortKey {
  readonly column: QueryColumn;
  readonly isDescending: boolean;
}

/**
 * Reads a sort such as `-amount,customer`: up to four columns or attributes, where a minus means
 * descending. Rows without a value come last in either direction, and ties are ordered by id.
 * @throws AppError `invalid_request`
 */
export function parseSort(schema: DatagridSchema, text: string): SortKey[] {
  // Reads one name more than allowed, so that the rest of a long text costs nothing.
  const names = text.split(',', MAX_SORT_COLUMNS + 1);
  if (names.length > MAX_SORT_COLUMNS) {
    throw invalidSort('too_many', `must not name more than ${String(MAX_SORT_COLUMNS)} columns`);
  }
  const keys = names.map((name) => sortKey(schema, name));
  const repeated = keys.find(
    ({ column }, index) => keys.findIndex((other) => other.column.id === column.id) < index,
  );
  if (repeated) throw invalidSort('duplicate_column', `must not name ${repeated.column.key} twice`);
  // No two rows have the same value of a unique attribute, so later keys never decide the order.
  const unique = keys.findIndex(({ column }) => column.attribute?.isUnique === true);
  return unique === -1 ? keys : keys.slice(0, unique + 1);
}

function sortKey(schema: DatagridSchema, name: string): SortKey {
  const isDescending = name.startsWith('-');
  const key = isDescending ? name.slice(1) : name;
  const column = findQueryColumn(schema, key);
  if (!column) {
    rejectComputed(schema, key, 'sort');
    const name = JSON.stringify(key.slice(0, 63));
    const message = key.startsWith('_')
      ? `unknown row attribute ${name}; expected one of: ${ATTRIBUTE_NAMES}`
      : `unknown column ${name}`;
    throw invalidSort('unknown_column', message);
  }
  if (!isComparable(column.type)) {
    throw invalidSort(
      'incompatible_parameters',
      `cannot sort by ${key}, a column of type ${column.type}`,
    );
  }
  return { column, isDescending };
}

function invalidSort(code: DetailCode, message: string): Error {
  return invalidRequest([{ field: 'sort', code, message }]);
}

/**
 * Returns the condition for the rows after a position. A row comes after it if its value of the
 * first key is greater (less, if the key is descending), or equal while the next key is greater,
 * and so on down to the id. Rows without a value come last.
 * @param id SQL of a row's id.
 * @param valueOf Returns the SQL of a row's value in a column.
 */
export function afterSql(
  sort: readonly SortKey[],
  { values, rowId }: CursorPosition,
  parameters: SqlParameters,
  id: string,
  valueOf: (column: QueryColumn) => string,
): string {
  const endsUnique = sort.at(-1)?.column.attribute?.isUnique === true;
  return sort.reduceRight(
    (later, key, index) => {
      const value = values[index] ?? null;
      const own = valueOf(key.column);
      if (value === null) return `(${own} IS NULL AND ${later})`;
      const other = operandSql(key.column, value, parameters);
      const sign = key.isDescending ? '<' : '>';
      if (key.column.attribute)
        return `(${own} ${sign} ${other} OR (${own} = ${other} AND ${later}))`;
      return `(${own} ${sign} ${other} OR ${own} IS NULL OR (${own} = ${other} AND ${later}))`;
    },
    endsUnique ? 'false' : `${id} > ${parameters.add(rowId, 'bigint')}`,
  );
}
