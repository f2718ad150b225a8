import { useQuery } from '@tanstack/react-query';
import { keysQuery } from '../../../session/keys-query';
import { mayManageUsers } from '../../../session/role';
import { useSession } from '../../../session/session-context';
import { usersQuery } from '../../../session/users-query';
import { gridText } from '../../../text/grid-text';
import { authorName, type Author } from './change';

/**
 * Returns a function that names the author of a change.
 * @param isWanted False if no author is to be named, so that nothing is read.
 * @param isWithin True for names within a sentence.
 */
export function useAuthorName(
  isWanted: boolean,
  isWithin = false,
): (by: Author | null | undefined) => string | undefined {
  const { user } = useSession();
  const { data: users } = useQuery({
    ...usersQuery,
    enabled: isWanted && mayManageUsers(user.role),
  });
  const { data: keys } = useQuery({ ...keysQuery, enabled: isWanted });
  const { authors } = gridText;
  const words = isWithin ? authors.within : authors;
  return (by) => authorName(by, user.id, users ?? [], keys ?? [], words);
}
