/**
 * Every `code` that an entry of `error.details` may have. As with the codes of errors, clients may
 * branch on it: docs/api.md says what each means.
 */
export const DETAIL_CODES = [
  'duplicate',
  'duplicate_choice',
  'duplicate_key',
  'inexact_number',
  'invalid_format',
  'invalid_text',
  'invalid_utf8',
  'malformed_json',
  'not_a_choice',
  'not_indexed',
  'not_possible',
  'not_unique',
  'other_order',
  'other_revision',
  'out_of_range',
  'partial_match',
  'repeated',
  'required',
  'rows_against',
  'too_deep',
  'too_large',
  'too_many',
  'too_precise',
  'unknown_column',
  'unknown_member',
  'unknown_operator',
  'unknown_parameter',
  'unreadable',
  'wrong_password',
  'wrong_type',
] as const;

export type DetailCode = (typeof DETAIL_CODES)[number];
