import { inOrder } from '../imports/progress/import-progress';
import type {
  ScheduledImportDto,
  ScheduledImportRunDto,
  ScheduledImportStatus,
} from './dto/scheduled-import.dto';
import type {
  ImportRunRecord,
  PrintedRun,
  ScheduledImportRecord,
} from './scheduled-import.repository';

/** Returns the status of a scheduled import. */
export function statusOf({
  enabled,
  isConnectionEnabled,
  isRunning,
  failures,
  lastRunAt,
}: Pick<
  ScheduledImportRecord,
  'enabled' | 'isConnectionEnabled' | 'isRunning' | 'failures' | 'lastRunAt'
>): ScheduledImportStatus {
  if (!enabled || !isConnectionEnabled) return 'paused';
  if (isRunning) return 'running';
  if (failures > 0) return 'failing';
  return lastRunAt === null ? 'waiting' : 'active';
}

export function toDto(scheduled: ScheduledImportRecord): ScheduledImportDto {
  return {
    id: scheduled.id,
    connectionId: scheduled.connectionId,
    name: scheduled.name,
    datagridId: scheduled.datagridId,
    query: scheduled.query,
    table: scheduled.table,
    keyColumns: scheduled.keyColumns,
    columns: scheduled.columns,
    missingRows: scheduled.missingRows,
    allowEmptyResult: scheduled.allowEmptyResult,
    intervalSeconds: scheduled.intervalSeconds,
    enabled: scheduled.enabled,
    status: statusOf(scheduled),
    lastError: scheduled.lastError,
    lastErrorAt: scheduled.lastErrorAt?.toISOString() ?? null,
    lastRunAt: scheduled.lastRunAt?.toISOString() ?? null,
    ...(scheduled.lastRun && { lastRun: runDto(scheduled.lastRun) }),
    nextRunAt: scheduled.nextRunAt?.toISOString() ?? null,
    createdAt: scheduled.createdAt.toISOString(),
    updatedAt: scheduled.updatedAt.toISOString(),
  };
}

export function runDto(run: ImportRunRecord | PrintedRun): ScheduledImportRunDto {
  return {
    id: run.id,
    importId: run.importId,
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: new Date(run.endedAt).toISOString(),
    rowsRead: run.rowsRead,
    created: run.created,
    updated: run.updated,
    unchanged: run.unchanged,
    deleted: run.deleted,
    rejected: run.rejected,
    rejectedRows: run.rejectedRows.map(({ line, details }) => ({
      line,
      details: inOrder(details),
    })),
    note: run.note,
    error: run.error,
  };
}
