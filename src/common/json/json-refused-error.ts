/**
 * Why a body was refused:
 * - `malformed_json`: not JSON by RFC 8259;
 * - `invalid_utf8`: bytes that are not UTF-8;
 * - `duplicate_key`: a key twice in one object, where parsers would silently keep one;
 * - `too_deep`: arrays and objects nested deeper than `MAX_DEPTH`;
 * - `inexact_number`: a number that a double cannot give back;
 * - `invalid_text`: NUL or a lone surrogate, which PostgreSQL cannot store;
 * - `too_many`: more values in the body, or members in one object, than are read.
 */
export type JsonRefusal =
  | 'malformed_json'
  | 'invalid_utf8'
  | 'duplicate_key'
  | 'too_deep'
  | 'inexact_number'
  | 'invalid_text'
  | 'too_many';

/** A body that is not read. `message` is public and echoes at most 100 characters of it. */
export class JsonRefusedError extends Error {
  constructor(
    readonly code: JsonRefusal,
    message: string,
    /** Dotted path such as `rows.3.values.amount`; absent where the whole body is meant. */
    readonly field?: string,
  ) {
    super(message);
  }
}
