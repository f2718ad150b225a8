import { invalidRequest } from '../../common/error/app-error';
import { BudgetExceededError } from '../../platform/database/budgeted-queries';
import { isTooLong } from '../../platform/database/database-error';

/** Thrown when a page exceeds MAX_PAGE_BYTES. */
export function pageTooLarge(): Error {
  const message =
    'returns too much data for rows of this size; use a smaller limit or fewer fields';
  return invalidRequest([{ field: 'limit', code: 'too_large', message }]);
}

/** Reads a page with `read`. @throws AppError `invalid_request` if PostgreSQL cannot print it. */
export async function refuseTooLong<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isTooLong(error) ? pageTooLarge() : error;
  }
}

/** Like `refuseTooLong`, for a page without a query: if the read times out, it is too large. */
export async function refuseTooSlow<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await refuseTooLong(read);
  } catch (error) {
    throw error instanceof BudgetExceededError ? pageTooLarge() : error;
  }
}
