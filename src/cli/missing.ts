import { AppError } from '../common/error/app-error';

/**
 * Replaces a `not_found` error with one that names the missing object. Services return the same
 * error for everything, because API callers must not learn what exists; an operator may.
 */
export async function orMissing<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError('not_found', `There is no ${what}.`);
  }
}
