import { accept, reject, type Checked } from './checked';

/** Checks an integer that a double represents exactly: from -(2^53 - 1) to 2^53 - 1. */
export function checkInteger(value: unknown): Checked {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return reject('wrong_type', INTEGER_RANGE);
  }
  return Number.isSafeInteger(value)
    ? accept(withoutMinusZero(value))
    : reject('out_of_range', INTEGER_RANGE);
}

/** Checks a finite double. */
export function checkNumber(value: unknown): Checked {
  return typeof value === 'number' && Number.isFinite(value)
    ? accept(withoutMinusZero(value))
    : reject('wrong_type', 'must be a number');
}

const INTEGER_RANGE = 'must be an integer between -9007199254740991 and 9007199254740991';

/**
 * Replaces -0 with 0: neither JSON as JavaScript prints it nor `jsonb` has -0. Both are equal, so
 * no value is lost.
 */
function withoutMinusZero(value: number): number {
  return value === 0 ? 0 : value;
}
