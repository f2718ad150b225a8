/**
 * What every change of a workspace or datagrid sets beside its own members. The change runs as a
 * statement of its own under the lock, so it starts, and is dated, after the wait.
 */
export const NEXT_VERSION = {
  version: (): string => 'version + 1',
  updatedAt: (): string => 'greatest(updated_at, statement_timestamp())',
};
