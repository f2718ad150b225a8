import type { GridApi } from 'ag-grid-community';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { isAuthor } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { keysQuery } from '../../../session/keys-query';
import { mayManageUsers } from '../../../session/role';
import { useSession } from '../../../session/session-context';
import { usersQuery } from '../../../session/users-query';
import { gridText } from '../../../text/grid-text';

/**
 * Returns the names of users and of the user's own keys by their ids, for columns that have authors.
 * Only owners can read the email addresses of other users.
 */
export function useAuthorNames(
  api: GridApi | undefined,
  columns: readonly Column[],
): ReadonlyMap<string, string> {
  const { user } = useSession();
  const isWanted = columns.some(({ type }) => isAuthor(type));
  const { data: users } = useQuery({
    ...usersQuery,
    enabled: isWanted && mayManageUsers(user.role),
  });
  const { data: keys } = useQuery({ ...keysQuery, enabled: isWanted });
  const names = useMemo(
    () =>
      new Map([
        ...(users ?? []).map(({ id, email }) => [id, email] as const),
        ...(keys ?? []).map(({ id, name }) => [id, name] as const),
        [user.id, gridText.authors.you] as const,
      ]),
    [users, keys, user.id],
  );
  useEffect(() => {
    if (api && isWanted) api.refreshCells({ force: true });
  }, [api, isWanted, names]);
  return names;
}
