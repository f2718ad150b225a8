import { AppError, type ScimErrorType } from '../common/error/app-error';
import { QueryTimeoutError } from '../platform/database/query-pool';

/** 400 with a `scimType`. */
export function scimError(scimType: ScimErrorType, message: string): AppError {
  return new AppError('invalid_request', message, { scimType });
}

/** 400: an attribute has a value that it cannot have. */
export function invalidValue(path: string, message: string): AppError {
  return scimError('invalidValue', `${path}: ${message}`);
}

/** 409: another resource of the account has the same value. */
export function notUnique(path: string): AppError {
  const message = `${path}: is already used by another resource`;
  return new AppError('conflict', message, { scimType: 'uniqueness' });
}

/** 409: a user who was removed, and whom no filter finds, has the same address. */
export function usedByRemoved(id: string): AppError {
  const message = `userName: is the address of the user ${id}, who was removed; create that user again, and rename the user`;
  return new AppError('conflict', message, { scimType: 'uniqueness' });
}

/** Reads a page whose filter may take too long. @throws AppError `invalid_request` with `tooMany`. */
export async function inTime<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof QueryTimeoutError)) throw error;
    throw scimError('tooMany', 'filter: takes too long; compare userName, externalId or id by eq');
  }
}
