import type { JsonValue } from '../../../common/json/json-value';

/** What may have to be escaped in a JSON string; surrogates only where they are alone. */
const SPECIAL = /["\\\p{Cc}\p{Cs}]/u;

/** A value as JSON. Most texts have nothing to be escaped, which is cheaper to see than to do. */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string') return SPECIAL.test(value) ? JSON.stringify(value) : `"${value}"`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
