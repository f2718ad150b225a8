import { AppError } from '../../common/error/app-error';

/** What an account may have so many of. */
export type QuotaKind = 'workspaces' | 'datagrids' | 'rows' | 'users';

/** 403: trying again does not help, before something is deleted or the quota raised. */
export function quotaExceeded(kind: QuotaKind, most: number): AppError {
  return new AppError(
    'quota_exceeded',
    `Quota exceeded: this account may have at most ${String(most)} ${kind}.`,
  );
}

export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof AppError && error.code === 'quota_exceeded';
}
