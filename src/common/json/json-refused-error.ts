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
export type JsonRefusal =
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
export class JsonRefusedError extends Error {
  constructor(
    readonly code: JsonRefusal,
    message: string,
    /** Dotted path such as `rows.3.values.amount`. Absent if the error concerns the whole body. */
    readonly field?: string,
  ) {
    super(message);
  }
}
