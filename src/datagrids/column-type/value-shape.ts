import { MAX_EMAIL_LENGTH, MAX_URL_LENGTH } from './address-values';
import type { ColumnOptions, ColumnType } from './column-type';
import { MAX_DECIMAL_LENGTH } from './decimal-value';

/**
 * Properties of a stored value that PostgreSQL can test at low cost before the value is checked.
 */
export interface ValueShape {
  /** Name as in `jsonb_typeof`. */
  readonly jsonType: 'string' | 'number' | 'boolean' | 'array';
  /**
   * Maximum length of a value in bytes: UTF-8 without escapes, and for an array four more bytes per
   * item. `null` if the column accepts every value of the JSON type.
   */
  readonly maxBytes: number | null;
}

/** Maximum UTF-8 bytes per JavaScript code unit. */
const MAX_BYTES_PER_UNIT = 3;
/** A double in plain notation has up to 326 digits and a sign. */
const MAX_NUMBER_LENGTH = 400;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const DATETIME_LENGTH = 'YYYY-MM-DDTHH:mm:ss.sssZ'.length;
const BYTES_PER_ITEM = 4;

/**
 * Returns the shape of every value that a column of the type stores. Values with another shape need
 * not be read or checked: `valueCheckFor` would reject them. `null` for `json`, which stores any
 * value.
 */
export function valueShapeFor(
  type: ColumnType,
  { choices = [] }: ColumnOptions,
): ValueShape | null {
  switch (type) {
    case 'text':
      return { jsonType: 'string', maxBytes: null };
    case 'integer':
    case 'number':
      return { jsonType: 'number', maxBytes: MAX_NUMBER_LENGTH };
    case 'decimal':
      return { jsonType: 'string', maxBytes: MAX_DECIMAL_LENGTH };
    case 'boolean':
      return { jsonType: 'boolean', maxBytes: null };
    case 'date':
      return { jsonType: 'string', maxBytes: DATE_LENGTH };
    case 'datetime':
      return { jsonType: 'string', maxBytes: DATETIME_LENGTH };
    case 'select':
      return { jsonType: 'string', maxBytes: Math.max(0, ...choices.map(byteLength)) };
    case 'multiSelect':
      return {
        jsonType: 'array',
        maxBytes: sum(choices.map(byteLength)) + BYTES_PER_ITEM * choices.length,
      };
    case 'email':
      return { jsonType: 'string', maxBytes: MAX_EMAIL_LENGTH * MAX_BYTES_PER_UNIT };
    case 'url':
      return { jsonType: 'string', maxBytes: MAX_URL_LENGTH * MAX_BYTES_PER_UNIT };
    case 'json':
      return null;
  }
}

const byteLength = (text: string): number => Buffer.byteLength(text);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
