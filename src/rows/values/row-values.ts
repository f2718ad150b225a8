import {
  AppError,
  type FieldError,
  fieldError,
  invalidField,
  invalidRequest,
  MAX_COUNTED_DETAILS,
} from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import { repeatedByPreviousKey } from '../../datagrids/column/previous-key';
import { type DatagridSchema, findColumn, namedKey } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { type GivenReadOnlyValue, readOnlyProblem } from './read-only-values';
import { isSurelyLonger, mayExceed, rowBytes } from './row-bytes';

/**
 * Checks new rows in slices. Columns that a row does not name get their default values.
 * @throws AppError `invalid_request` with the invalid fields. If there are very many, only the
 *   first are checked.
 */
export async function checkNewRows(
  accountId: string,
  schema: DatagridSchema,
  rows: readonly RowValues[],
): Promise<CheckedValues[]> {
  const problems: FieldError[] = [];
  const checked = await mapInSlices(accountId, rows, (body) => {
    const { values, path } = withDefaults(schema, body);
    const row = checkValues(schema, values, path, 'new', problems);
    if (problems.length >= MAX_COUNTED_DETAILS) rejectProblems(problems);
    return row;
  });
  rejectProblems(problems);
  return checked;
}

/** Returns the values of a new row, with the default values of the columns that it does not name. */
export function withDefaults({ defaulted }: DatagridSchema, row: RowValues): RowValues {
  if (defaulted.length === 0) return row;
  const absent = defaulted.filter((column) => namedKey(row.values, column) === undefined);
  const defaults = Object.fromEntries(absent.map(({ key, defaultValue }) => [key, defaultValue]));
  return { ...row, values: { ...defaults, ...row.values } };
}

/**
 * Checks the values of one row.
 * @throws AppError as `checkNewRows`
 */
export function checkRow(
  schema: DatagridSchema,
  { values, path }: RowValues,
  use: ValuesUse,
): CheckedValues {
  const problems: FieldError[] = [];
  const checked = checkValues(schema, values, path, use, problems);
  rejectProblems(problems);
  return checked;
}

/**
 * Rejects a request with invalid fields.
 * @throws AppError `invalid_request` with the invalid fields, if there are any.
 */
export function rejectProblems(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

/**
 * Prints a row's values as JSON.
 * @throws AppError `payload_too_large` if they exceed `limit` bytes.
 */
export function printWithinLimit(
  values: CheckedValues['bySlot'],
  limit: number,
  field: string,
): string {
  if (isSurelyLonger(values, limit)) throw rowTooLarge('more than', limit, limit, field);
  const json = JSON.stringify(values);
  if (mayExceed(json, limit)) rejectLargeRow(rowBytes(values, json), limit, field);
  return json;
}

/**
 * Rejects a row that is too large.
 * @throws AppError `payload_too_large` if a row's values exceed `limit` bytes.
 */
export function rejectLargeRow(bytes: number, limit: number, field: string): void {
  if (bytes > limit) throw rowTooLarge('', bytes, limit, field);
}

function rowTooLarge(
  prefix: '' | 'more than',
  bytes: number,
  limit: number,
  field: string,
): AppError {
  const size = prefix === '' ? String(bytes) : `${prefix} ${String(bytes)}`;
  const message = `has ${size} bytes of values; the maximum is ${String(limit)}`;
  return new AppError('payload_too_large', `${field}: ${message}`, {
    details: [{ field, code: 'too_large', message }],
  });
}

/** A row's values in the form in which they are stored. */
export interface CheckedValues {
  /** Normalized values, by slot. */
  readonly bySlot: Readonly<Record<string, JsonValue>>;
  /**
   * The same values by column key, as the API returns them. The same object if slots equal keys.
   */
  readonly byKey: Readonly<Record<string, JsonValue>>;
  /** Slots that were sent as `null`, which clears the value. */
  readonly cleared: readonly string[];
  /**
   * Values for columns whose values the service sets. They must equal those of the row. Absent if
   * there are none.
   */
  readonly readOnly?: readonly GivenReadOnlyValue[];
}

/**
 * What the values of a row are for: a new row, a change of some values of a row (`merge`), or of all
 * (`replacement`), or a row that has had them before (`stored`). All but `merge` are all values that
 * the row will have.
 */
export type ValuesUse = 'new' | 'merge' | 'replacement' | 'stored';

/**
 * Checks the values of one row against the columns. Adds errors to `problems`, with `path` as the
 * prefix of each field.
 * @param use If the values are all that the row will have, every required column must be among them.
 * @param maxProblems Number of errors after which the check stops.
 */
export function checkValues(
  schema: DatagridSchema,
  values: Readonly<Record<string, unknown>>,
  path: string,
  use: ValuesUse,
  problems: FieldError[],
  maxProblems = MAX_COUNTED_DETAILS,
): CheckedValues {
  const bySlot: Record<string, JsonValue> = {};
  const byKey: Record<string, JsonValue> = schema.isPlain ? bySlot : {};
  const cleared: string[] = [];
  const isWhole = use !== 'merge';
  let readOnly: GivenReadOnlyValue[] | undefined;
  // Objects from a body inherit nothing, and `Object.entries` costs as much as the checks.
  for (const key in values) {
    if (problems.length >= maxProblems) break;
    const value = values[key];
    const column = findColumn(schema, key);
    if (!column) {
      problems.push(notWritable(schema, `${path}.${key}`, key));
    } else if (key !== column.key && namedKey(values, column) !== key) {
      problems.push(repeatedByPreviousKey(`${path}.${key}`, namedKey(values, column) ?? ''));
    } else if (column.isReadOnly && use !== 'stored') {
      const field = `${path}.${key}`;
      if (use !== 'new') (readOnly ??= []).push({ field, slot: column.slot, value });
      else if (value !== null) problems.push(readOnlyProblem(field));
    } else if (value === null) {
      cleared.push(column.slot);
      if (column.required && !isWhole) problems.push(missing(`${path}.${key}`));
    } else {
      const checked = column.check(value);
      if (checked.ok) bySlot[column.slot] = byKey[column.key] = checked.value;
      else problems.push(fieldError(`${path}.${key}`, checked.code, checked.message));
    }
  }
  if (isWhole) {
    for (const column of schema.required) {
      if (problems.length >= maxProblems) break;
      const key = namedKey(values, column);
      if (key === undefined || values[key] === null)
        problems.push(missing(`${path}.${key ?? column.key}`));
    }
  }
  return readOnly ? { bySlot, byKey, cleared, readOnly } : { bySlot, byKey, cleared };
}

function missing(field: string): FieldError {
  return fieldError(field, 'required', 'must have a value');
}

export const MAX_ROWS = 1_000;

/** Maximum number of unique columns by which an upsert or an import matches rows. */
export const MAX_MATCHED_COLUMNS = 4;

/** The values of one row as sent, and their path in the body. */
export interface RowValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: string;
}

export interface RowBodies {
  readonly rows: readonly RowValues[];
  /** Whether the body is `{ rows: […] }`. If so, the response is also a list. */
  readonly isList: boolean;
}

/** Reads `{ values }`. @throws AppError `invalid_request` */
export function readRowBody(body: unknown): RowValues {
  return readRow(members(body, 'body'), '');
}

/** Reads `{ values }` or `{ rows: [{ values }, …] }`. @throws AppError `invalid_request` */
export function readRowBodies(body: unknown): RowBodies {
  const object = members(body, 'body');
  if (!Object.hasOwn(object, 'rows')) return { rows: [readRow(object, '')], isList: false };
  rejectOthers(object, ['rows'], '');
  return { rows: readRows(object['rows']), isList: true };
}

/** Reads the member `rows` of a body: `[{ values }, …]`. @throws AppError `invalid_request` */
export function readRows(rows: unknown): RowValues[] {
  return listOf(rows, 'rows', MAX_ROWS, 'rows').map((row, index) => {
    const path = `rows.${String(index)}`;
    return readRow(members(row, path), `${path}.`);
  });
}

function readRow(row: Members, prefix: string): RowValues {
  rejectOthers(row, ['values'], prefix);
  return readValues(row, prefix);
}

/** Reads the member `values` of an object. @throws AppError `invalid_request` */
export function readValues(object: Members, prefix: string): RowValues {
  const path = `${prefix}values`;
  if (!Object.hasOwn(object, 'values')) throw invalidField(path, 'required', 'is required');
  return { values: members(object['values'], path), path };
}

export type Members = Readonly<Record<string, unknown>>;

/** Returns the members of `value`, which must be an object. @throws AppError `invalid_request` */
export function members(value: unknown, field: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw invalidField(field, 'wrong_type', 'must be a JSON object');
}

/**
 * Rejects members whose names are not in `names`.
 * @param prefix Path to the object with a trailing dot; empty for the body.
 * @throws AppError `invalid_request`
 */
export function rejectOthers(object: Members, names: readonly string[], prefix: string): void {
  const unknown: FieldError[] = [];
  for (const name of Object.keys(object)) {
    if (names.includes(name)) continue;
    const message = `is not a known property; expected one of: ${names.join(', ')}`;
    unknown.push({ field: `${prefix}${name}`, code: 'unknown_property', message });
    if (unknown.length === MAX_COUNTED_DETAILS) break;
  }
  if (unknown.length > 0) throw invalidRequest(unknown);
}

/**
 * Returns `value`, which must be an array of 1 to `max` items.
 * @throws AppError `invalid_request`
 */
export function listOf(value: unknown, field: string, max: number, items: string): unknown[] {
  if (!Array.isArray(value))
    throw invalidField(field, 'wrong_type', `must be an array of ${items}`);
  if (value.length < 1 || value.length > max) {
    throw invalidField(field, 'out_of_range', `must contain 1 to ${String(max)} ${items}`);
  }
  return value;
}

/** Reads the member `dryRun`; `false` if it is absent. @throws AppError `invalid_request` */
export function readDryRun({ dryRun = false }: Members): boolean {
  if (typeof dryRun === 'boolean') return dryRun;
  throw invalidField('dryRun', 'wrong_type', 'must be true or false');
}

function notWritable({ computed }: DatagridSchema, field: string, key: string): FieldError {
  return computed.has(key)
    ? fieldError(field, 'read_only', 'is computed; leave it out')
    : fieldError(field, 'unknown_column', 'is not a column of this datagrid');
}
