import { invalidRequest } from '../../common/error/app-error';
import { BudgetExceededError } from '../../platform/database/budgeted-queries';
import { isTooLong } from '../../platform/database/database-error';

/** A page is larger than may be given. */
export function pageTooLarge(): Error {
  const message =
    'returns too much data for rows of this size; use a smaller limit or fewer fields';
  return invalidRequest([{ field: 'limit', code: 'too_large', message }]);
}

/** Runs what reads a page. @throws AppError `invalid_request` where not even PostgreSQL can print it. */
export async function refuseTooLong<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isTooLong(error) ? pageTooLarge() : error;
  }
}

/** The same for a page that is read without a query: if there is no time for it, it is too large. */
export async function refuseTooSlow<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await refuseTooLong(read);
  } catch (error) {
    throw error instanceof BudgetExceededError ? pageTooLarge() : error;
  }
}
