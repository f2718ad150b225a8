/**
 * All values of `code` in the entries of `error.details`. Clients may depend on them, as on error
 * codes. docs/api/errors.md describes each of them.
 */
export const DETAIL_CODES = [
  'ambiguous_match',
  'conflicting_rows',
  'cursor_mismatch',
  'duplicate',
  'duplicate_choice',
  'duplicate_column',
  'duplicate_header',
  'duplicate_key',
  'duplicate_parameter',
  'duplicate_row',
  'excess_precision',
  'incompatible_parameters',
  'incomplete_body',
  'inexact_number',
  'invalid_compression',
  'invalid_format',
  'invalid_text',
  'invalid_utf8',
  'malformed_json',
  'not_a_choice',
  'not_indexed',
  'not_unique',
  'out_of_range',
  'required',
  'revision_mismatch',
  'too_deep',
  'too_large',
  'too_many',
  'unknown_column',
  'unknown_operator',
  'unknown_parameter',
  'unknown_property',
  'wrong_password',
  'wrong_type',
] as const;

export type DetailCode = (typeof DETAIL_CODES)[number];
