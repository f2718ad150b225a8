import type { Role } from '../api/types';

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

/** Description of each role. Each role includes the permissions of the previous ones. */
export const ROLES: readonly {
  readonly role: Role;
  readonly label: string;
  readonly may: string;
}[] = [
  { role: 'viewer', label: 'Viewer', may: 'reads everything' },
  {
    role: 'editor',
    label: 'Editor',
    may: 'also adds, changes and deletes rows, and saves views',
  },
  {
    role: 'admin',
    label: 'Admin',
    may: 'also creates and changes workspaces, datagrids and columns, and shares views',
  },
  { role: 'owner', label: 'Owner', may: 'also manages users, and reads the audit log' },
];

export const labelOfRole = (role: Role): string =>
  ROLES.find((one) => one.role === role)?.label ?? role;
