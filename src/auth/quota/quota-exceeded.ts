import { AppError } from '../../common/error/app-error';

/** Objects that a quota limits per account. */
export type QuotaKind = 'workspaces' | 'datagrids' | 'rows' | 'users';

/**
 * Error for a quota: 403. A retry does not help until objects are deleted or the quota is raised.
 */
export function quotaExceeded(kind: QuotaKind, most: number): AppError {
  return new AppError(
    'quota_exceeded',
    `Quota exceeded: this account may have at most ${String(most)} ${kind}.`,
  );
}

export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof AppError && error.code === 'quota_exceeded';
}
