import type { JsonValue } from '../../common/json/json-value';
import { accept, reject, type Checked } from './checked';

/** Checks a string. Stored as sent, without trimming. */
export function checkText(value: unknown): Checked {
  return typeof value === 'string' ? accept(value) : reject('wrong_type', 'must be a string');
}

export function checkBoolean(value: unknown): Checked {
  return typeof value === 'boolean' ? accept(value) : reject('wrong_type', 'must be true or false');
}

/** Checks any JSON value. Arrays and objects may contain null. */
export function checkJson(value: unknown): Checked {
  const isJson =
    typeof value === 'number' ? Number.isFinite(value) : JSON_TYPES.includes(typeof value);
  return isJson ? accept(value as JsonValue) : reject('wrong_type', 'must be a JSON value');
}

const JSON_TYPES: readonly string[] = ['string', 'boolean', 'object'];
