import { accept, reject, type Checked } from './checked';

/** A whole JSON number that a double holds exactly: within 2^53 - 1 of zero. */
export function checkInteger(value: unknown): Checked {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return reject('wrong_type', INTEGER_RANGE);
  }
  return Number.isSafeInteger(value)
    ? accept(withoutMinusZero(value))
    : reject('out_of_range', INTEGER_RANGE);
}

/** A finite double. */
export function checkNumber(value: unknown): Checked {
  return typeof value === 'number' && Number.isFinite(value)
    ? accept(withoutMinusZero(value))
    : reject('wrong_type', 'must be a number');
}

const INTEGER_RANGE = 'must be an integer between -9007199254740991 and 9007199254740991';

/** Neither JSON as JavaScript prints it nor `jsonb` has a -0; 0 equals it, so no value is lost. */
function withoutMinusZero(value: number): number {
  return value === 0 ? 0 : value;
}
