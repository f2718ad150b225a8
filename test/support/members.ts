import type { ConsoleClient } from './console-client';
import { dataOf } from './fixture';
import type { Member, TestApp } from './test-app';

/** Replaces the roles of a user in single workspaces. */
export async function grantRoles(
  owner: ConsoleClient,
  user: Member,
  workspaceRoles: object[],
): Promise<void> {
  const response = await owner.patch(`/users/${user.userId}`, { workspaceRoles });
  expect(dataOf(response, 200).workspaceRoles).toEqual(workspaceRoles);
}

/** Creates a user without a role in the account, who has a role in one workspace. */
export async function newWorkspaceMember(
  app: TestApp,
  owner: ConsoleClient,
  { accountId }: Member,
  grant: { readonly workspaceId: string; readonly role: string },
): Promise<Member> {
  const user = await app.newUser(accountId, 'member');
  await grantRoles(owner, user, [grant]);
  return user;
}
