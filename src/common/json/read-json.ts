import { isUtf8 } from 'node:buffer';
import { reject, rejectDuplicate, rejectFault } from './json-error';
import { syntaxErrorIn } from './parse-json';
import { scanJson } from './scan-json';

/** Bytes of U+FEFF in UTF-8. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Parses a request body: JSON by RFC 8259 in UTF-8. A byte order mark is skipped. The value
 * contains everything that was sent: nothing is silently dropped, truncated or rounded. `__proto__`
 * is a property like any other.
 *
 * @throws JsonRejectedError for text that is not JSON, bytes that are not UTF-8, nesting deeper than
 *   64, a key that occurs twice in one object, a number that a double cannot represent exactly, and
 *   NUL or unpaired surrogates in strings or keys. It names the location if there is one.
 */
export function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw reject('invalid_utf8');
  const bytes = startsWithMark(body) ? body.subarray(BYTE_ORDER_MARK.length) : body;
  const scan = scanJson(bytes);
  if (scan.tooDeep) throw reject('too_deep');
  const value = parse(bytes);
  // The findings of the scan are reliable only now that the text is known to be JSON.
  if (scan.fault) throw rejectFault(bytes, scan.fault);
  if (scan.members !== countMembers(value)) throw rejectDuplicate(bytes);
  return value;
}

function startsWithMark(body: Buffer): boolean {
  return BYTE_ORDER_MARK.every((byte, index) => body[index] === byte);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The built-in parser's message echoes the body.
    throw syntaxErrorIn(bytes);
  }
}

/**
 * Counts the properties of all objects within a parsed value. If the text has more, a key occurred
 * twice in one object. The caller limits the depth of the value. An own `__proto__` property
 * counts.
 */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  const object = value as Record<string, unknown>;
  const keys = Object.keys(object);
  for (const key of keys) {
    const member = object[key];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count + keys.length;
}
