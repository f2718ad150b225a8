import type { JsonValue } from '../../common/json/json-value';

/**
 * Why a column does not hold a value:
 * - `wrong_type`: another type of JSON value than the column's;
 * - `invalid_format`: text that is not written as the type wants it;
 * - `out_of_range`: well written, but too large, too small, too long, or no real date;
 * - `excess_precision`: more digits after the point than are kept;
 * - `not_a_choice`: not among the column's choices;
 * - `duplicate_choice`: a choice twice.
 */
export type ValueProblem =
  | 'wrong_type'
  | 'invalid_format'
  | 'out_of_range'
  | 'excess_precision'
  | 'not_a_choice'
  | 'duplicate_choice';

/** The normal form of a value, to be stored as JSON; or why there is none. */
export type Checked =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly code: ValueProblem; readonly message: string };

/**
 * Checks one value, as `readJson` gives it; never null or undefined, which are no value at all.
 * The normal form of a normal form is itself.
 */
export type ValueCheck = (value: unknown) => Checked;

export function accept(value: JsonValue): Checked {
  return { ok: true, value };
}

export function reject(code: ValueProblem, message: string): Checked {
  return { ok: false, code, message };
}
