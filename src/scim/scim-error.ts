import { AppError, type ScimErrorType } from '../common/error/app-error';

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

/** Returns an error of another part of the service with the `scimType` that says the same. */
export function inTermsOfScim(error: unknown): unknown {
  if (!(error instanceof AppError) || error.scimType !== undefined) return error;
  const { code, message, details, headers } = error;
  const isDuplicate = details.some((each) => each.code === 'duplicate');
  if (code === 'conflict' && isDuplicate)
    return new AppError(code, message, { scimType: 'uniqueness', headers });
  if (code === 'invalid_request' && details.length > 0)
    return new AppError(code, message, { scimType: 'invalidValue', headers });
  return error;
}
