import type { Role } from '../api/types';
import { text } from '../text/text';

/** Permissions of roles in the console. The server checks every request as well. */
export const mayWriteRows = (role: Role): boolean => role !== 'viewer';
export const mayWriteSchema = (role: Role): boolean => role === 'admin' || role === 'owner';
export const mayManageWebhooks = mayWriteSchema;
export const mayManageConnections = mayWriteSchema;
/** Whether the request log has the keys of all users, and not only one's own. */
export const mayReadAllRequests = mayWriteSchema;
export const mayShareViews = mayWriteSchema;
export const mayReadAudit = (role: Role): boolean => role === 'owner';
export const mayManageUsers = (role: Role): boolean => role === 'owner';

const ALL: readonly Role[] = ['viewer', 'editor', 'admin', 'owner'];

/** Description of each role. Each role includes the permissions of the previous ones. */
export const ROLES: readonly {
  readonly role: Role;
  readonly label: string;
  readonly may: string;
}[] = ALL.map((role) => ({ role, ...text.roles[role] }));

export const labelOfRole = (role: Role): string =>
  ROLES.find((one) => one.role === role)?.label ?? role;
