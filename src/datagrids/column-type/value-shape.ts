import { MAX_EMAIL_LENGTH, MAX_URL_LENGTH } from './address-values';
import type { ColumnOptions, ColumnType } from './column-type';
import { MAX_DECIMAL_LENGTH } from './decimal-value';

/** What PostgreSQL can tell of a stored value at little cost, before it is checked. */
export interface ValueShape {
  /** As `jsonb_typeof` names it. */
  readonly jsonType: 'string' | 'number' | 'boolean' | 'array';
  /**
   * The longest that a value may be: UTF-8 without escapes, in an array four bytes more for each
   * item. `null` where every value of the JSON type is one of the column.
   */
  readonly maxBytes: number | null;
}

/** A code unit of JavaScript takes so many at most. */
const MAX_BYTES_PER_UNIT = 3;
/** A double in plain notation: 326 digits and its sign. */
const MAX_NUMBER_LENGTH = 400;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const DATETIME_LENGTH = 'YYYY-MM-DDTHH:mm:ss.sssZ'.length;
const BYTES_PER_ITEM = 4;

/**
 * The shape of every value that a column of the type stores. What has another one need not be
 * checked, nor read: `valueCheckFor` would refuse it. `null` for `json`, which stores any value.
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
