import { isUtf8 } from 'node:buffer';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MAX_DEPTH,
  OPEN_ARRAY,
  OPEN_OBJECT,
} from './scan-json';
import {
  JsonRejectedError,
  reject,
  rejectDuplicateAt,
  rejectFaultAt,
  rejectSyntax,
  rejectTooMany,
} from './json-error';
import { END, TextFault, TokenReader } from './token-reader';

/** Number of values between two calls of `isDue`. */
const VALUES_PER_LOOK = 64;

/**
 * Maximum number of properties in one object. Growing a larger object takes long and cannot be
 * split into slices.
 */
export const MAX_MEMBERS = 100_000;

interface Frame {
  /** `null` for an object. */
  readonly items: unknown[] | null;
  readonly members: Record<string, unknown>;
  count: number;
  /** Key of the property that is being read. */
  key: string;
}

export interface ParseBounds {
  /** Maximum number of values in the text: arrays, objects, strings, numbers and literals. */
  readonly maxValues: number;
  /** Maximum number of properties of the outermost object. The default is `MAX_MEMBERS`. */
  readonly maxTopMembers?: number;
  /** Called regularly. If it returns `true`, the parser yields. */
  readonly isDue: () => boolean;
}

export interface ParsedJson {
  readonly value: unknown;
  /** Number of values in the text. */
  readonly values: number;
}

/**
 * Parses a text as `readJson` does, but in slices: when the generator yields, its caller can let
 * other work run. For large texts. Stops at the first error.
 *
 * @throws JsonRejectedError as `readJson` does, and `too_many` if there are more than `maxValues`
 *   values or too many properties in one object.
 */
export function* parseJson(bytes: Buffer, bounds: ParseBounds): Generator<undefined, ParsedJson> {
  if (!isUtf8(bytes)) throw reject('invalid_utf8');
  const reader = new TokenReader(bytes);
  const parser = new Parser(reader, bounds.maxValues, bounds.maxTopMembers);
  try {
    for (let count = 1; !parser.readValue(); count += 1) {
      if (count % VALUES_PER_LOOK === 0 && bounds.isDue()) yield;
    }
  } catch (error) {
    throw isSyntaxError(error) ? rejectSyntax(bytes, reader.position) : error;
  }
  return { value: parser.result, values: parser.values };
}

/** Returns the error for the position at which a text stops being JSON. */
export function syntaxErrorIn(bytes: Buffer): JsonRejectedError {
  const reader = new TokenReader(bytes);
  const parser = new Parser(reader, Infinity);
  try {
    while (!parser.readValue());
  } catch (error) {
    if (isSyntaxError(error)) return rejectSyntax(bytes, reader.position);
  }
  return reject('malformed_json');
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof JsonRejectedError && error.code === 'malformed_json';
}

class Parser {
  values = 0;
  result: unknown;
  private readonly stack: Frame[] = [];
  private top: Frame | undefined;

  constructor(
    private readonly reader: TokenReader,
    private readonly maxValues: number,
    private readonly maxTopMembers = MAX_MEMBERS,
  ) {}

  /**
   * Reads the next scalar or opening bracket, and the closing brackets after it.
   * @returns whether the text is complete.
   */
  readValue(): boolean {
    this.values += 1;
    if (this.values > this.maxValues) throw rejectTooMany('values', this.maxValues);
    const { reader } = this;
    const byte = reader.peek();
    if (byte !== OPEN_OBJECT && byte !== OPEN_ARRAY) return this.complete(this.readScalar());
    if (this.stack.length === MAX_DEPTH) throw reject('too_deep');
    reader.skip();
    const items = byte === OPEN_ARRAY ? [] : null;
    const frame: Frame = { items, members: {}, count: 0, key: '' };
    this.stack.push(frame);
    this.top = frame;
    if (reader.peek() === closing(frame)) {
      reader.skip();
      return this.complete(this.close(frame));
    }
    if (!items) this.readKey(frame);
    return false;
  }

  /**
   * Adds a value to its container. If that completes the container, adds it to its own container in
   * turn.
   */
  private complete(given: unknown): boolean {
    const { reader } = this;
    for (let value = given; ;) {
      const { top } = this;
      if (!top) {
        if (reader.peek() !== END) throw reject('malformed_json');
        this.result = value;
        return true;
      }
      if (top.items) top.items.push(value);
      else setMember(top.members, top.key, value);
      top.count += 1;
      const byte = reader.peek();
      if (byte !== COMMA && byte !== closing(top)) throw reject('malformed_json');
      reader.skip();
      if (byte === COMMA) {
        if (!top.items) this.readKey(top);
        return false;
      }
      value = this.close(top);
    }
  }

  private close(frame: Frame): unknown {
    this.stack.pop();
    this.top = this.stack.at(-1);
    return frame.items ?? frame.members;
  }

  private readKey(frame: Frame): void {
    const { reader } = this;
    const max = this.stack.length === 1 ? this.maxTopMembers : MAX_MEMBERS;
    if (frame.count === max) throw rejectTooMany('properties', max);
    reader.peek();
    try {
      frame.key = reader.readString();
    } catch (error) {
      // A key with invalid text is not echoed. The error names its object instead.
      throw error instanceof TextFault
        ? rejectFaultAt(error.code, this.path().slice(0, -1))
        : error;
    }
    if (Object.hasOwn(frame.members, frame.key)) throw rejectDuplicateAt(this.path());
    if (reader.peek() !== COLON) throw reject('malformed_json');
    reader.skip();
  }

  private readScalar(): unknown {
    try {
      return this.reader.readScalar();
    } catch (error) {
      throw error instanceof TextFault ? rejectFaultAt(error.code, this.path()) : error;
    }
  }

  /** Returns the keys and indexes that lead to the current position. */
  private path(): (string | number)[] {
    return this.stack.map(({ items, count, key }) => (items ? count : key));
  }
}

function closing({ items }: Frame): number {
  return items ? CLOSE_ARRAY : CLOSE_OBJECT;
}

function setMember(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    const member = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(members, key, member);
  } else {
    members[key] = value;
  }
}
