import type { Role, SessionUser } from '../api/types';
import { text } from '../text/text';

/** Permissions of roles in the console. The server checks every request as well. */
export const mayWriteRows = (role: Role): boolean => role !== 'viewer' && role !== 'member';
/** Whether the user may run SQL, which reads rows. */
export const mayRunSql = (role: Role): boolean => role !== 'member';
export const mayWriteSchema = (role: Role): boolean => role === 'admin' || role === 'owner';
export const mayManageWebhooks = mayWriteSchema;
export const mayManageConnections = mayWriteSchema;
/** Whether the request log has the keys of all users, and not only one's own. */
export const mayReadAllRequests = mayWriteSchema;
export const mayShareViews = mayWriteSchema;
export const mayReadAudit = (role: Role): boolean => role === 'owner';
export const mayManageUsers = (role: Role): boolean => role === 'owner';

/** Whether the user may see the trash of the account. */
export const mayReadTrash = (role: Role): boolean => role !== 'member';

/** From least to most powerful. */
const ALL: readonly Role[] = ['member', 'viewer', 'editor', 'admin', 'owner'];

const higherRole = (a: Role, b: Role): Role => (ALL.indexOf(a) >= ALL.indexOf(b) ? a : b);

/** Returns the role of a user in a workspace. */
export const roleIn = ({ role, workspaceRoles }: SessionUser, workspaceId: string): Role =>
  higherRole(role, workspaceRoles[workspaceId] ?? 'member');

/** Returns the highest role that a user has in the account or in any workspace. */
export const highestRole = ({ role, workspaceRoles }: SessionUser): Role =>
  Object.values(workspaceRoles).reduce(higherRole, role);

/** Description of each role. Each role includes the permissions of those before. */
export const ROLES: readonly {
  readonly role: Role;
  readonly label: string;
  readonly may: string;
}[] = ALL.map((role) => ({ role, ...text.roles[role] }));

export const labelOfRole = (role: Role): string =>
  ROLES.find((one) => one.role === role)?.label ?? role;
