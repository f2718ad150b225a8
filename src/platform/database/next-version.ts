/**
 * Columns that every update of a workspace or datagrid sets, in addition to the changed ones. The
 * update runs as its own statement under the lock, so that its timestamp is taken after the wait.
 */
export const NEXT_VERSION = {
  version: (): string => 'version + 1',
  updatedAt: (): string => 'greatest(updated_at, statement_timestamp())',
};
