import { MAX_USAGE_DAYS } from '../auth/key-usage/key-usage.service';
import { SESSION_LIVES } from '../auth/session/session.repository';
import type { AppConfig } from '../platform/config/app-config';
import { BYTES_COUNTED_FOR, KEYS_KEPT_FOR } from '../platform/idempotency/idempotency.repository';

/** Records of a table that are deleted without a request. */
export interface ExpiringRecords {
  readonly table: string;
  /** SQL condition of those that have expired. `$1` is the number of days. */
  readonly expired: string;
  readonly days?: (config: AppConfig) => number;
  /** Limit for the records of each group. The primary key is the group's column and `id`. */
  readonly surplus?: {
    readonly groupedBy: string;
    readonly kept: (config: AppConfig) => number;
  };
}

/** Purged datagrids never return. A run in progress keeps its record. */
const IS_ORPHAN = `leased_until <= now()
  AND NOT EXISTS (SELECT FROM datagrids d WHERE d.id = datagrid_id)`;

const olderThanDays = (column: string): string => `${column} < now() - make_interval(days => $1)`;

/**
 * All records with a retention period, apart from data of datagrids, which expires in turns of accounts, and
 * what other modules have stored for datagrids that are purged.
 */
export const EXPIRING_RECORDS: readonly ExpiringRecords[] = [
  { table: 'sessions s', expired: `NOT (${SESSION_LIVES})` },
  { table: 'user_invites', expired: 'expires_at <= now()' },
  {
    table: 'api_key_usage',
    expired: `day <= (now() AT TIME ZONE 'UTC')::date - $1::int`,
    days: () => MAX_USAGE_DAYS,
  },
  {
    table: 'audit_events',
    expired: olderThanDays('at'),
    days: ({ auditRetentionDays }) => auditRetentionDays,
    surplus: { groupedBy: 'account_id', kept: ({ maxAuditEvents }) => maxAuditEvents },
  },
  { table: 'idempotency_keys', expired: `created_at <= now() - ${KEYS_KEPT_FOR}` },
  { table: 'idempotency_usage', expired: `hour <= now() - ${BYTES_COUNTED_FOR}` },
  { table: 'imports', expired: `is_cleared AND finished_at < now() - interval '7 days'` },
  {
    table: 'webhook_attempts',
    expired: olderThanDays('at'),
    days: ({ webhookLogRetentionDays }) => webhookLogRetentionDays,
    surplus: { groupedBy: 'webhook_id', kept: ({ maxLoggedDeliveries }) => maxLoggedDeliveries },
  },
  {
    table: 'connection_runs',
    expired: olderThanDays('started_at'),
    days: ({ connectionRunRetentionDays }) => connectionRunRetentionDays,
  },
  {
    table: 'scheduled_import_runs',
    expired: olderThanDays('started_at'),
    days: ({ connectionRunRetentionDays }) => connectionRunRetentionDays,
  },
  // With waiting events, a lane is still needed to deliver them.
  { table: 'webhook_lanes', expired: `last_event = last_delivered AND ${IS_ORPHAN}` },
  // The tables in destinations stay.
  { table: 'connection_tables', expired: IS_ORPHAN },
  { table: 'scheduled_imports', expired: IS_ORPHAN },
];
