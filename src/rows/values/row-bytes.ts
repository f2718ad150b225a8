import type { JsonValue } from '../../common/json/json-value';

/** A number with an exponent, or text that looks like one. */
const EXPONENT = /\de[+-]\d/;

/**
 * Size of a row's values as they are read back: as JSON, with numbers in plain notation. That is
 * how PostgreSQL prints them, so that 1e308 has 309 digits.
 * @param json The values as `JSON.stringify` prints them.
 */
export function rowBytes(values: JsonValue, json: string): number {
  const bytes = Buffer.byteLength(json);
  return EXPONENT.test(json) ? bytes + plainExtra(values) : bytes;
}

/** Bytes that plain notation takes beyond that of JavaScript. */
function plainExtra(value: JsonValue): number {
  if (typeof value === 'number') return extraDigits(value);
  if (typeof value !== 'object' || value === null) return 0;
  let extra = 0;
  for (const member of Object.values(value)) extra += plainExtra(member);
  return extra;
}

function extraDigits(number: number): number {
  const printed = String(Math.abs(number));
  const [mantissa = '', exponent] = printed.split('e');
  if (exponent === undefined) return 0;
  const power = Number(exponent);
  const digits = mantissa.replace('.', '').length;
  // From 1e21 on there are no digits after the point; below 1e-6 all are, after "0." and zeros.
  const plain = power > 0 ? power + 1 : 1 - power + digits;
  return plain - printed.length;
}
