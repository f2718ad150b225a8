import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCRIPT = readFileSync(join(__dirname, '../../deploy/citus/distribute.sql'), 'utf8');

const CALL = /^SELECT (create_reference_table|create_distributed_table)\('(\w+)'(.*)\);$/gm;

export interface PlacedTable {
  readonly call: string;
  readonly name: string;
  /** The other arguments: the distribution column and the table to colocate with. */
  readonly rest: string;
}

/** Returns the calls of `deploy/citus/distribute.sql` in order, one for each table. */
export function placedTables(): PlacedTable[] {
  return [...SCRIPT.matchAll(CALL)].map(([, call = '', name = '', rest = '']) => ({
    call,
    name,
    rest,
  }));
}

function tablesOf(call: string): string[] {
  return placedTables().flatMap((placed) => (placed.call === call ? [placed.name] : []));
}

/** Returns the tables that are distributed by their datagrid. */
export function distributedTables(): string[] {
  return tablesOf('create_distributed_table');
}

/** Returns the tables that have a copy on every node. */
export function referenceTables(): string[] {
  return tablesOf('create_reference_table');
}

/** Returns the foreign keys that the script drops. */
export function droppedConstraints(): string[] {
  const found = SCRIPT.matchAll(/^ALTER TABLE \w+ DROP CONSTRAINT (\w+);$/gm);
  return [...found].map(([, name = '']) => name);
}

/** Returns the tables that the script makes logged. */
export function loggedTables(): string[] {
  return [...SCRIPT.matchAll(/^ALTER TABLE (\w+) SET LOGGED;$/gm)].map(([, name = '']) => name);
}

/**
 * Tables that stay plain tables of the coordinator: small, or read across datagrids. A table that
 * grows with the data must be distributed instead.
 */
export const COORDINATOR_TABLES = [
  ...['accounts', 'users', 'api_keys', 'api_key_usage', 'user_passwords', 'user_invites'],
  ...['user_totps', 'user_recovery_codes', 'user_passkeys', 'passkey_challenges'],
  ...['identity_providers', 'user_identities', 'provider_sign_ins', 'provider_logouts'],
  ...['scim_tokens', 'scim_users', 'scim_groups', 'scim_group_members'],
  ...['oauth_clients', 'oauth_grants'],
  ...['api_key_requests', 'api_key_request_gaps', 'workspace_roles'],
  ...[
    'sessions',
    'workspaces',
    'audit_events',
    'audit_positions',
    'idempotency_keys',
    'idempotency_usage',
  ],
  ...['imports', 'datagrid_purges', 'webhooks', 'webhook_lanes', 'webhook_events'],
  ...['webhook_attempts', 'connections', 'connection_tables', 'connection_runs'],
  ...['scheduled_imports', 'scheduled_import_runs', 'view_links', 'sql_queries'],
  'schema_migrations',
];
