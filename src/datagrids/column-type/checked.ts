import type { JsonValue } from '../../common/json/json-value';

/**
 * Reason why a column rejects a value:
 * - `wrong_type`: not the JSON type of the column;
 * - `invalid_format`: a string that is not in the format of the column type;
 * - `out_of_range`: the right format, but too large, too small, too long, or not an existing date;
 * - `excess_precision`: more digits after the decimal point than the column stores;
 * - `not_a_choice`: not among the column's choices;
 * - `duplicate_choice`: contains a choice twice.
 */
export type ValueProblem =
  | 'wrong_type'
  | 'invalid_format'
  | 'out_of_range'
  | 'excess_precision'
  | 'not_a_choice'
  | 'duplicate_choice';

/** The normal form of a value, to be stored as JSON, or the reason for its rejection. */
export type Checked =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly code: ValueProblem; readonly message: string };

/**
 * Checks one value that `readJson` has parsed, never null or undefined, which mean no value. The
 * normal form of a normal form is itself.
 */
export type ValueCheck = (value: unknown) => Checked;

export function accept(value: JsonValue): Checked {
  return { ok: true, value };
}

export function reject(code: ValueProblem, message: string): Checked {
  return { ok: false, code, message };
}
