import { conflict } from '../common/error/app-error';
import { onDuplicate } from '../platform/database/database-error';

/**
 * Runs `work`.
 * @throws AppError `conflict` if two workspaces outside the trash would have one name.
 */
export function withFreeWorkspaceName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is already used by another workspace in this account';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('workspaces_name', taken, work);
}
