import { MAX_USAGE_DAYS } from '../auth/key-usage/key-usage.service';
import { sessionLives } from '../auth/session/session.repository';
import type { AppConfig } from '../platform/config/app-config';
import { KEY_RETENTION, USAGE_RETENTION } from '../platform/idempotency/idempotency.repository';

/** Which records of a table expire, and when. */
export interface ExpiryPolicy {
  readonly table: string;
  /** SQL condition of the expired records. `$1` is `retentionDays`, if that is given. */
  readonly expiredSql: string;
  readonly retentionDays?: (config: AppConfig) => number;
}

/** Retention of the reports of imports. */
const IMPORT_RETENTION = `interval '7 days'`;

const olderThanDays = (column: string): string => `${column} < now() - make_interval(days => $1)`;

/**
 * The records with a retention period. KeyRequestCleanup deletes those of the request log, and
 * DatagridTrimService those of datagrids: in both, accounts take turns.
 */
export const EXPIRY_POLICIES: readonly ExpiryPolicy[] = [
  { table: 'sessions', expiredSql: `NOT (${sessionLives('sessions')})` },
  { table: 'user_invites', expiredSql: 'expires_at <= now()' },
  {
    table: 'api_key_usage',
    expiredSql: `day <= (now() AT TIME ZONE 'UTC')::date - $1::int`,
    retentionDays: () => MAX_USAGE_DAYS,
  },
  {
    table: 'audit_events',
    expiredSql: olderThanDays('at'),
    retentionDays: ({ auditRetentionDays }) => auditRetentionDays,
  },
  { table: 'idempotency_keys', expiredSql: `created_at <= now() - ${KEY_RETENTION}` },
  { table: 'idempotency_usage', expiredSql: `hour <= now() - ${USAGE_RETENTION}` },
  { table: 'imports', expiredSql: `is_cleared AND finished_at < now() - ${IMPORT_RETENTION}` },
  {
    table: 'webhook_attempts',
    expiredSql: olderThanDays('at'),
    retentionDays: ({ webhookLogRetentionDays }) => webhookLogRetentionDays,
  },
  {
    table: 'connection_runs',
    expiredSql: olderThanDays('started_at'),
    retentionDays: ({ connectionRunRetentionDays }) => connectionRunRetentionDays,
  },
  {
    table: 'scheduled_import_runs',
    expiredSql: olderThanDays('started_at'),
    retentionDays: ({ connectionRunRetentionDays }) => connectionRunRetentionDays,
  },
];

/** Records that belong to a datagrid, and are deleted once that is purged. */
export interface OrphanPolicy {
  /** Has a column `datagrid_id`. */
  readonly table: string;
  /** SQL condition of the records that nothing uses. */
  readonly idleSql: string;
}

const NO_LEASE = 'leased_until <= now()';

export const ORPHAN_POLICIES: readonly OrphanPolicy[] = [
  // A lane with waiting events is still needed to deliver them.
  { table: 'webhook_lanes', idleSql: `last_event = last_delivered AND ${NO_LEASE}` },
  // The tables in destinations stay.
  { table: 'connection_tables', idleSql: NO_LEASE },
  { table: 'scheduled_imports', idleSql: NO_LEASE },
];

/** Limit for the records of each group. The oldest are deleted. */
export interface SurplusPolicy {
  /** The primary key is `groupColumn` and `id`. */
  readonly table: string;
  readonly groupColumn: string;
  readonly maxRecords: (config: AppConfig) => number;
}

export const SURPLUS_POLICIES: readonly SurplusPolicy[] = [
  {
    table: 'audit_events',
    groupColumn: 'account_id',
    maxRecords: ({ maxAuditEvents }) => maxAuditEvents,
  },
  {
    table: 'webhook_attempts',
    groupColumn: 'webhook_id',
    maxRecords: ({ maxLoggedDeliveries }) => maxLoggedDeliveries,
  },
];
