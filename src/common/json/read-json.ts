import { isUtf8 } from 'node:buffer';
import { countMembers } from './count-members';
import { syntaxErrorIn } from './parse-json';
import { refuse, refuseDuplicate, refuseFault } from './refusal';
import { scanJson } from './scan-json';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * The value of a request body: JSON by RFC 8259 in UTF-8, a byte order mark being skipped. What
 * comes out is all that was sent: nothing is dropped, cut or rounded in silence. `__proto__` is a
 * member like any other.
 *
 * @throws JsonRefusedError for text that is not JSON, bytes that are not UTF-8, nesting deeper
 *   than 64, a key twice in one object, a number that a double cannot give back, and NUL or lone
 *   surrogates in strings or keys; with the place where there is one.
 */
export function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw refuse('invalid_utf8');
  const bytes = startsWithMark(body) ? body.subarray(BYTE_ORDER_MARK.length) : body;
  const scan = scanJson(bytes);
  if (scan.tooDeep) throw refuse('too_deep');
  const value = parse(bytes);
  // Only now, when the text is known to be JSON, is what the scan saw certain.
  if (scan.fault) throw refuseFault(bytes, scan.fault);
  if (scan.members !== countMembers(value)) throw refuseDuplicate(bytes);
  return value;
}

function startsWithMark(body: Buffer): boolean {
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The built-in parser's own message echoes the body.
    throw syntaxErrorIn(bytes);
  }
}
