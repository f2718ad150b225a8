import { InvalidArgumentError } from 'commander';
import { isUuid } from '../../common/text/id';

/** Number of objects that a list has by default. */
export const USUAL_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** @throws InvalidArgumentError if it is not a number that a list may have. */
export function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`Expected an integer from 1 to ${String(MAX_LIMIT)}.`);
}

/** @throws InvalidArgumentError if it is not an id. */
export function readId(text: string): string {
  if (isUuid(text)) return text;
  throw new InvalidArgumentError('Expected an id.');
}
