import { conflict } from '../common/error/app-error';
import { onDuplicate } from '../platform/database/database-error';

/**
 * Runs `work`.
 * @throws AppError `conflict` if two datagrids outside the trash would have one name.
 */
export function withFreeDatagridName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is already used by another datagrid in this workspace';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('datagrids_name', taken, work);
}
