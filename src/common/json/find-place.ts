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

/** Location of a string, number, literal, array or object, or of an object's key. */
export interface Place {
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
 * Whether `byte` starts a token: anything except white space and a colon. The caller has already
 * handled commas and closing brackets.
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

/** Whether `byte` may follow a number or a literal. */
function endsToken(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}
