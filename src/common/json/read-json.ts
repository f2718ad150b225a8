import { isUtf8 } from 'node:buffer';
import { countMembers } from './count-members';
import { syntaxErrorIn } from './parse-json';
import { refuse, refuseDuplicate, refuseFault } from './refusal';
import { scanJson } from './scan-json';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Parses a request body: JSON by RFC 8259 in UTF-8. A byte order mark is skipped. The value
 * contains everything that was sent: nothing is silently dropped, truncated or rounded. `__proto__`
 * is a property like any other.
 *
 * @throws JsonRefusedError for text that is not JSON, bytes that are not UTF-8, nesting deeper than
 *   64, a key that occurs twice in one object, a number that a double cannot represent exactly, and
 *   NUL or unpaired surrogates in strings or keys. It names the location if there is one.
 */
export function readJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw refuse('invalid_utf8');
  const bytes = startsWithMark(body) ? body.subarray(BYTE_ORDER_MARK.length) : body;
  const scan = scanJson(bytes);
  if (scan.tooDeep) throw refuse('too_deep');
  const value = parse(bytes);
  // The findings of the scan are reliable only now that the text is known to be JSON.
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
    // The built-in parser's message echoes the body.
    throw syntaxErrorIn(bytes);
  }
}
