import type { ReactNode } from 'react';
import type { SessionUser } from '../api/types';
import {
  highestRole,
  mayManageConnections,
  mayManageUsers,
  mayManageWebhooks,
  mayReadAudit,
  mayReadTrash,
  mayRunSql,
} from '../session/role';
import { text } from '../text/text';
import {
  AuditIcon,
  BookIcon,
  ConnectionIcon,
  GridIcon,
  KeyIcon,
  RequestsIcon,
  ShieldIcon,
  SqlIcon,
  TrashIcon,
  UsersIcon,
  WebhookIcon,
} from './icons';

/** A link of the main navigation. */
export interface Place {
  readonly to: string;
  /** Places of a group are together, with a gap after them. */
  readonly group: 'workspace' | 'account' | 'help';
  readonly label: string;
  readonly icon: ReactNode;
  /** Returns true if the page at the path belongs to this place. */
  readonly isAt: (path: string) => boolean;
  /** Part of a workspace, which the link leads to while one is open. */
  readonly part?: string;
  /** True if the browser loads another page. */
  readonly isDocument?: boolean;
}

const isPartOf = (path: string, part: string): boolean =>
  new RegExp(`^/workspaces/[^/]+/${part}(/|$)`).test(path) || path === `/${part}`;

const startsWith =
  (start: string) =>
  (path: string): boolean =>
    path.startsWith(start);

const isTrash = startsWith('/workspaces/trash');
const isSql = (path: string): boolean => isPartOf(path, 'sql');
const isWebhooks = (path: string): boolean => isPartOf(path, 'webhooks');
const isConnections = (path: string): boolean => isPartOf(path, 'connections');

const ALL: readonly (Place & { readonly may?: (user: SessionUser) => boolean })[] = [
  {
    to: '/workspaces',
    group: 'workspace',
    label: text.nav.datagrids,
    icon: <GridIcon />,
    isAt: (path) =>
      /^\/(workspaces|datagrids)(\/|$)/.test(path) &&
      !isTrash(path) &&
      !isSql(path) &&
      !isWebhooks(path) &&
      !isConnections(path),
  },
  {
    to: '/sql',
    group: 'workspace',
    label: text.nav.sql,
    icon: <SqlIcon />,
    isAt: isSql,
    part: 'sql',
    may: (user) => mayRunSql(highestRole(user)),
  },
  {
    to: '/webhooks',
    group: 'workspace',
    label: text.nav.webhooks,
    icon: <WebhookIcon />,
    isAt: isWebhooks,
    part: 'webhooks',
    may: (user) => mayManageWebhooks(highestRole(user)),
  },
  {
    to: '/connections',
    group: 'workspace',
    label: text.nav.connections,
    icon: <ConnectionIcon />,
    isAt: isConnections,
    part: 'connections',
    may: (user) => mayManageConnections(highestRole(user)),
  },
  {
    to: '/workspaces/trash',
    group: 'workspace',
    label: text.nav.trash,
    icon: <TrashIcon />,
    isAt: isTrash,
    may: ({ role }) => mayReadTrash(role),
  },
  {
    to: '/profile/keys',
    group: 'account',
    label: text.nav.keys,
    icon: <KeyIcon />,
    isAt: startsWith('/profile/keys'),
  },
  {
    to: '/requests',
    group: 'account',
    label: text.nav.requests,
    icon: <RequestsIcon />,
    isAt: startsWith('/requests'),
  },
  {
    to: '/users',
    group: 'account',
    label: text.nav.users,
    icon: <UsersIcon />,
    isAt: startsWith('/users'),
    may: ({ role }) => mayManageUsers(role),
  },
  {
    to: '/security',
    group: 'account',
    label: text.nav.security,
    icon: <ShieldIcon />,
    isAt: startsWith('/security'),
    may: ({ role }) => mayManageUsers(role),
  },
  {
    to: '/audit',
    group: 'account',
    label: text.nav.audit,
    icon: <AuditIcon />,
    isAt: startsWith('/audit'),
    may: ({ role }) => mayReadAudit(role),
  },
  {
    to: '/docs',
    group: 'help',
    label: text.nav.docs,
    icon: <BookIcon />,
    isAt: () => false,
    isDocument: true,
  },
];

/** Returns the places that a user may open, in the order of the navigation. */
export const placesOf = (user: SessionUser): readonly Place[] =>
  ALL.filter(({ may }) => may === undefined || may(user));

const WORKSPACE = /^\/workspaces\/(?!trash)([^/]+)/;

/** Returns the target of the link on the page at the path. */
export function targetOf({ to, part }: Place, path: string): string {
  const workspaceId = WORKSPACE.exec(path)?.[1];
  if (part === undefined || workspaceId === undefined) return to;
  return `/workspaces/${workspaceId}/${part}`;
}
