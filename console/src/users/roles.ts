import type { Role } from '../api/types';

/** What each role may do, each with what the ones before it may. */
export const ROLES: readonly {
  readonly role: Role;
  readonly label: string;
  readonly may: string;
}[] = [
  { role: 'viewer', label: 'Viewer', may: 'reads everything' },
  { role: 'editor', label: 'Editor', may: 'also adds, changes and deletes rows' },
  {
    role: 'admin',
    label: 'Admin',
    may: 'also makes and changes workspaces, datagrids and columns',
  },
  { role: 'owner', label: 'Owner', may: 'also manages users' },
];

export const labelOfRole = (role: Role): string =>
  ROLES.find((one) => one.role === role)?.label ?? role;
