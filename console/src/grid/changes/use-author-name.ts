import { useQuery } from '@tanstack/react-query';
import { keysQuery } from '../../session/keys-query';
import { mayManageUsers } from '../../session/role';
import { useSession } from '../../session/session-context';
import { usersQuery } from '../../session/users-query';
import { authorName, type Author } from './change';

/**
 * Returns a function that names the author of a change.
 * @param isWanted False if no author is to be named, so that nothing is read.
 */
export function useAuthorName(
  isWanted: boolean,
): (by: Author | null | undefined) => string | undefined {
  const { user } = useSession();
  const { data: users } = useQuery({
    ...usersQuery,
    enabled: isWanted && mayManageUsers(user.role),
  });
  const { data: keys } = useQuery({ ...keysQuery, enabled: isWanted });
  return (by) => authorName(by, user.id, users ?? [], keys ?? []);
}
