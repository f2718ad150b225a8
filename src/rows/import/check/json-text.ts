import type { JsonValue } from '../../../common/json/json-value';

/**
 * Matches characters that may need escaping in a JSON string. Surrogates match only if they are
 * lone.
 */
const SPECIAL = /["\\\p{Cc}\p{Cs}]/u;

/**
 * Prints a value as JSON. Most texts need no escaping, and testing for that is cheaper than
 * escaping.
 */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string') return SPECIAL.test(value) ? JSON.stringify(value) : `"${value}"`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
