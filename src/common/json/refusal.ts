import { codePointLength } from '../text/code-point-length';
import { shorten } from '../text/shorten';
import { findPlace, type Place } from './find-place';
import { JsonRefusedError, type JsonRefusal } from './json-refused-error';
import type { Fault } from './scan-json';

/** Maximum number of characters of the body that an error may echo. */
const MAX_FIELD_LENGTH = 100;
const MAX_KEY_LENGTH = 60;
const LINE_FEED = 0x0a;

const MESSAGES = {
  malformed_json: 'is not valid JSON',
  invalid_utf8: 'is not valid UTF-8',
  too_deep: 'nests arrays and objects deeper than 64 levels',
  inexact_number:
    'would lose digits as a 64-bit double; send fewer digits, or a decimal as a string',
  invalid_text: 'must not contain the NUL character or an unpaired surrogate',
} as const satisfies Partial<Record<JsonRefusal, string>>;

/** Returns the error for a body as a whole. */
export function refuse(code: 'malformed_json' | 'invalid_utf8' | 'too_deep'): JsonRefusedError {
  return new JsonRefusedError(code, MESSAGES[code]);
}

/** Returns the error for a text that stops being JSON at byte `at`. */
export function refuseSyntax(bytes: Buffer, at: number): JsonRefusedError {
  const before = bytes.subarray(0, at);
  const lineStart = before.lastIndexOf(LINE_FEED) + 1;
  const line = 1 + countOf(before, LINE_FEED);
  const column = 1 + codePointLength(before.toString('utf8', lineStart));
  const what = at >= bytes.length ? 'end' : 'character';
  const message = `is not valid JSON: unexpected ${what} at line ${String(line)}, column ${String(column)}`;
  return new JsonRefusedError('malformed_json', message);
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}

/** Returns the error for one string or number in valid JSON, with its location. */
export function refuseFault(bytes: Buffer, fault: Fault): JsonRefusedError {
  const place = findPlace(bytes, (at) => at === fault.at);
  // A key with invalid text is not echoed. The error names its object instead.
  const path = place?.isKey ? place.path.slice(0, -1) : place?.path;
  return refuseFaultAt(fault.code, path ?? []);
}

/** Returns the error for one string or number at a known location. */
export function refuseFaultAt(code: Fault['code'], path: Place['path']): JsonRefusedError {
  return new JsonRefusedError(code, MESSAGES[code], fieldName(path));
}

/** Returns the error for a text that would take too long to read, even if it is short. */
export function refuseTooMany(what: 'values' | 'properties', max: number): JsonRefusedError {
  const count = max.toLocaleString('en-US');
  const message =
    what === 'values'
      ? `has more than ${count} values; send fewer at a time`
      : `has an object with more than ${count} properties; send fewer at a time`;
  return new JsonRefusedError('too_many', message);
}

/**
 * Returns the error for valid JSON in which an object has a key twice. It names the first such key.
 */
export function refuseDuplicate(bytes: Buffer): JsonRefusedError {
  return refuseDuplicateAt(findPlace(bytes, (_at, isRepeated) => isRepeated)?.path ?? []);
}

/** Returns the error for a duplicate key at a known location. */
export function refuseDuplicateAt(path: Place['path']): JsonRefusedError {
  const key = shorten(String(path.at(-1) ?? ''), MAX_KEY_LENGTH);
  const message = `duplicate key "${key}" in one object`;
  return new JsonRefusedError('duplicate_key', message, fieldName(path));
}

function fieldName(path: Place['path']): string | undefined {
  return path.length === 0 ? undefined : shorten(path.join('.'), MAX_FIELD_LENGTH);
}
