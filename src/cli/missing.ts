import { AppError } from '../common/error/app-error';

/**
 * Says what was not found. Services say the same of everything, for callers who must not learn
 * what exists; an operator may.
 */
export async function orMissing<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError('not_found', `There is no ${what}.`);
  }
}
