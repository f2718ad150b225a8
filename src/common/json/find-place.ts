import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  stringEnd,
} from './json-bytes';

/** Where a string, number, literal, array or object stands, or the key of a member. */
export interface Place {
  /** Keys and indexes that lead to it, the outermost first; to a key, they end with that key. */
  readonly path: readonly (string | number)[];
  readonly isKey: boolean;
}

/** Told the index of a token's first byte, and whether it is a key that its object has had. */
type Wanted = (at: number, isRepeated: boolean) => boolean;

interface Frame {
  /** Keys seen so far; null for an array. */
  readonly keys: Set<string> | null;
  step: string | number;
  expectsKey: boolean;
}

/**
 * Walks valid JSON from its start to the first place that `wanted` accepts; null if none. Slow,
 * and so for refusals only, where the place has to be named.
 */
export function findPlace(bytes: Buffer, wanted: Wanted): Place | null {
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

/** Notes the key, and tells whether its object has had it before. */
function takeKey(frame: Frame, token: string): boolean {
  const key = JSON.parse(token) as string;
  const isRepeated = frame.keys?.has(key) === true;
  frame.keys?.add(key);
  frame.step = key;
  frame.expectsKey = false;
  return isRepeated;
}

/** Anything but white space and the colon; commas and closing brackets are dealt with before. */
function startsToken(byte: number): boolean {
  return byte > 0x20 && byte !== COLON;
}

/** Index of a token's last byte; arrays and objects are entered, so a bracket stands alone. */
function tokenEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === OPEN_ARRAY || bytes[at] === OPEN_OBJECT) return at;
  let end = at + 1;
  while (end < bytes.length && !endsToken(bytes[end] ?? 0)) end++;
  return end - 1;
}

/** What may follow a number or a literal. */
function endsToken(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}
