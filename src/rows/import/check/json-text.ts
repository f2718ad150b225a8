/** What a JSON string must not hold as it is, and what may not be stored. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A text as JSON. Most have nothing to be escaped, which is cheaper to find out than to do. */
export function printText(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}
