import { codePointLength, shorten } from '../text/id';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  type Fault,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  stringEnd,
} from './scan-json';

/** Location of a string, number, literal, array or object, or of an object's key. */
interface TokenLocation {
  /**
   * Keys and indexes from the outermost level to the location. For a key, the path ends with that
   * key.
   */
  readonly path: readonly (string | number)[];
  readonly isKey: boolean;
}

/**
 * Receives the index of a token's first byte, and whether it is a key that its object already had.
 */
type Wanted = (at: number, isRepeated: boolean) => boolean;

interface Frame {
  /** Keys seen so far; `null` for an array. */
  readonly keys: Set<string> | null;
  step: string | number;
  expectsKey: boolean;
}

/**
 * Scans valid JSON from the start for the first location that `wanted` accepts. It is slow, so it
 * is used only for rejections, which name the location.
 * @returns `null` if there is none.
 */
function findLocation(bytes: Buffer, wanted: Wanted): TokenLocation | null {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const frame = frames.at(-1);
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      frames.pop();
    } else if (byte === COMMA) {
      if (typeof frame?.step === 'number') frame.step++;
      else if (frame) frame.expectsKey = true;
    } else if (startsToken(byte)) {
      const end = byte === QUOTE ? stringEnd(bytes, at + 1) : tokenEnd(bytes, at);
      const isKey = frame?.expectsKey === true;
      const isRepeated = isKey && takeKey(frame, bytes.toString('utf8', at, end + 1));
      if (wanted(at, isRepeated)) return { path: frames.map(({ step }) => step), isKey };
      if (byte === OPEN_ARRAY) frames.push({ keys: null, step: 0, expectsKey: false });
      if (byte === OPEN_OBJECT) frames.push({ keys: new Set(), step: '', expectsKey: true });
      at = end;
    }
  }
  return null;
}

/**
 * Records the key.
 * @returns whether its object already had it.
 */
function takeKey(frame: Frame, token: string): boolean {
  const key = JSON.parse(token) as string;
  const isRepeated = frame.keys?.has(key) === true;
  frame.keys?.add(key);
  frame.step = key;
  frame.expectsKey = false;
  return isRepeated;
}

/**
 * Returns whether `byte` starts a token: anything except white space and a colon. The caller has
 * already handled commas and closing brackets.
 */
function startsToken(byte: number): boolean {
  return byte > 0x20 && byte !== COLON;
}

/**
 * Returns the index of a token's last byte. For arrays and objects this is the opening bracket,
 * because their contents are scanned next.
 */
function tokenEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === OPEN_ARRAY || bytes[at] === OPEN_OBJECT) return at;
  let end = at + 1;
  while (end < bytes.length && !endsToken(bytes[end] ?? 0)) end++;
  return end - 1;
}

/** Returns whether `byte` may follow a number or a literal. */
function endsToken(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}

/**
 * Reason for rejecting a body:
 * - `malformed_json`: not JSON by RFC 8259;
 * - `invalid_utf8`: bytes that are not UTF-8;
 * - `duplicate_key`: a key occurs twice in one object, of which parsers would silently keep one;
 * - `too_deep`: arrays and objects nested deeper than `MAX_DEPTH`;
 * - `inexact_number`: a number that a double cannot represent exactly;
 * - `invalid_text`: NUL or an unpaired surrogate, which PostgreSQL cannot store;
 * - `too_many`: too many values in the body, or too many properties in one object.
 */
export type JsonRejection =
  | 'malformed_json'
  | 'invalid_utf8'
  | 'duplicate_key'
  | 'too_deep'
  | 'inexact_number'
  | 'invalid_text'
  | 'too_many';

/**
 * Thrown when a body is rejected. `message` is public and echoes at most 100 characters of the
 * body.
 */
export class JsonRejectedError extends Error {
  constructor(
    readonly code: JsonRejection,
    message: string,
    /** Dotted path such as `rows.3.values.amount`. Absent if the error concerns the whole body. */
    readonly field?: string,
  ) {
    super(message);
  }
}

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
} as const satisfies Partial<Record<JsonRejection, string>>;

/** Returns the error for a body as a whole. */
export function reject(code: 'malformed_json' | 'invalid_utf8' | 'too_deep'): JsonRejectedError {
  return new JsonRejectedError(code, MESSAGES[code]);
}

/** Returns the error for a text that stops being JSON at byte `at`. */
export function rejectSyntax(bytes: Buffer, at: number): JsonRejectedError {
  const before = bytes.subarray(0, at);
  const lineStart = before.lastIndexOf(LINE_FEED) + 1;
  const line = 1 + countOf(before, LINE_FEED);
  const column = 1 + codePointLength(before.toString('utf8', lineStart));
  const what = at >= bytes.length ? 'end' : 'character';
  const message = `is not valid JSON: unexpected ${what} at line ${String(line)}, column ${String(column)}`;
  return new JsonRejectedError('malformed_json', message);
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}

/** Returns the error for one string or number in valid JSON, with its location. */
export function rejectFault(bytes: Buffer, fault: Fault): JsonRejectedError {
  const location = findLocation(bytes, (at) => at === fault.at);
  // A key with invalid text is not echoed. The error names its object instead.
  const path = location?.isKey ? location.path.slice(0, -1) : location?.path;
  return rejectFaultAt(fault.code, path ?? []);
}

/** Returns the error for one string or number at a known location. */
export function rejectFaultAt(code: Fault['code'], path: TokenLocation['path']): JsonRejectedError {
  return new JsonRejectedError(code, MESSAGES[code], fieldName(path));
}

/** Returns the error for a text that would take too long to read, even if it is short. */
export function rejectTooMany(what: 'values' | 'properties', max: number): JsonRejectedError {
  const count = max.toLocaleString('en-US');
  const message =
    what === 'values'
      ? `has more than ${count} values; send fewer at a time`
      : `has an object with more than ${count} properties; send fewer at a time`;
  return new JsonRejectedError('too_many', message);
}

/**
 * Returns the error for valid JSON in which an object has a key twice. It names the first such key.
 */
export function rejectDuplicate(bytes: Buffer): JsonRejectedError {
  return rejectDuplicateAt(findLocation(bytes, (_at, isRepeated) => isRepeated)?.path ?? []);
}

/** Returns the error for a duplicate key at a known location. */
export function rejectDuplicateAt(path: TokenLocation['path']): JsonRejectedError {
  const key = shorten(String(path.at(-1) ?? ''), MAX_KEY_LENGTH);
  const message = `duplicate key "${key}" in one object`;
  return new JsonRejectedError('duplicate_key', message, fieldName(path));
}

function fieldName(path: TokenLocation['path']): string | undefined {
  return path.length === 0 ? undefined : shorten(path.join('.'), MAX_FIELD_LENGTH);
}
