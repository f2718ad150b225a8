import { type FieldError, fieldError, invalidRequest } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import { columnOptionsProblems } from '../column-type/column-options';
import { COLUMN_TYPES, type TypeRules, valueCheckFor } from '../column-type/column-type';
import { conversionTo } from '../column-type/type-change';
import type { StoredJsonType } from '../column-type/descriptor';
import type { StoredDefault } from './datagrid-column.entity';

/** Properties that decide which default values a column accepts. */
export interface DefaultRules extends TypeRules {
  readonly unique: boolean;
  /** `null` for no default value. */
  readonly defaultValue: StoredDefault | null;
}

/** Returns the problems of a default value. `prefix` is the path of the column in the body. */
export function defaultProblems(column: DefaultRules, prefix = ''): FieldError[] {
  const { type, options, unique, defaultValue } = column;
  if (defaultValue === null) return [];
  const field = `${prefix}defaultValue`;
  if (unique) {
    const message = 'is not supported for unique columns';
    return [fieldError(field, 'incompatible_parameters', message)];
  }
  const checked = valueCheckFor(type, options)(defaultValue);
  return checked.ok ? [] : [fieldError(field, checked.code, checked.message)];
}

/**
 * Returns a column whose default value is in the form in which rows store it. An invalid one
 * stays as it is: `defaultProblems` reports it.
 */
export function withNormalDefault<T extends DefaultRules>(column: T): T {
  const { type, options, defaultValue } = column;
  if (defaultValue === null || columnOptionsProblems(type, options).length > 0) return column;
  const checked = valueCheckFor(type, options)(defaultValue);
  return checked.ok ? { ...column, defaultValue: checked.value } : column;
}

/**
 * Returns a column after a change of its type or choices, with its earlier default value converted.
 * @throws AppError `invalid_request` if the value does not convert, so that it is not lost silently.
 */
export function withConvertedDefault<T extends DefaultRules>(column: T): T {
  const { type, options, defaultValue } = column;
  if (defaultValue === null || columnOptionsProblems(type, options).length > 0) return column;
  const checked = valueCheckFor(type, options)(defaultValue);
  if (checked.ok) return { ...column, defaultValue: checked.value };
  const text = typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue);
  const converted = COLUMN_TYPES[type].convert
    ? conversionTo({ type, options })(text, jsonTypeOf(defaultValue as JsonValue))
    : undefined;
  if (converted !== undefined) return { ...column, defaultValue: converted };
  const message = 'does not fit the changed column; send a value that does, or null';
  throw invalidRequest([fieldError('defaultValue', 'invalid_format', message)]);
}

function jsonTypeOf(value: JsonValue): StoredJsonType {
  if (Array.isArray(value)) return 'array';
  return typeof value as StoredJsonType;
}

/**
 * Maximum size of the default values of a datagrid, in bytes. Bounds the storage of a row that a line of
 * a few bytes creates.
 */
export const MAX_DEFAULT_BYTES = 4_096;

/** Bytes of a separator and a space. */
const SEPARATOR_BYTES = 2;

/** Returns the size of a default value in bytes: that of its text form as `jsonb`, or a few more. */
export function defaultBytes(value: unknown): number {
  if (typeof value === 'number') {
    const text = String(value);
    // PostgreSQL prints 1e308 with 309 digits.
    const [, exponent = '0'] = /e[+-](\d+)/.exec(text) ?? [];
    return text.length + Number(exponent);
  }
  if (value === null || typeof value !== 'object') {
    return value === null ? 0 : Buffer.byteLength(JSON.stringify(value));
  }
  const isList = Array.isArray(value);
  return Object.entries(value).reduce(
    (total, [name, item]) =>
      total +
      (isList ? 0 : defaultBytes(name)) +
      Math.max('null'.length, defaultBytes(item)) +
      2 * SEPARATOR_BYTES,
    SEPARATOR_BYTES,
  );
}

/** Aggregate: the bytes of the default values of the selected columns that are not removed. */
export const SUM_OF_DEFAULTS = `
  coalesce(sum(octet_length(default_value::text)) FILTER (WHERE removed_at IS NULL), 0)::bigint`;

/** @throws AppError `invalid_request` if the default values of a datagrid are too large together. */
export function rejectLargeDefaults(bytes: number, field: string): void {
  if (bytes <= MAX_DEFAULT_BYTES) return;
  const message =
    `makes the default values of all columns ${String(bytes)} bytes in total; the maximum is ` +
    String(MAX_DEFAULT_BYTES);
  throw invalidRequest([{ field, code: 'too_large', message }]);
}
