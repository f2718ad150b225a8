import { DestinationError } from './destination';

/** Returns the failure that somebody has changed the type of a column. */
export function columnTypeChanged(): DestinationError {
  return new DestinationError('inconsistent', 'A column has another type now.');
}

/**
 * Returns an integer of a column that a sync writes. A large one is not exact.
 * @throws DestinationError `inconsistent` if the text is not an integer of up to 40 digits.
 */
export const integerOf = (text: string | null | undefined): number => Number(integerTextOf(text));

/**
 * Returns the text of an integer, or of a sum of integers, of a column that a sync writes.
 * @throws DestinationError `inconsistent` if the text is not an integer of up to 40 digits.
 */
export function integerTextOf(text: string | null | undefined): string {
  if (text == null || !/^-?\d{1,40}$/.test(text)) throw columnTypeChanged();
  return text;
}
