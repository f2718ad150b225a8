import { isComputed } from '../datagrids/column-type/column-type';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { JsonResponse } from '../common/envelope/json-response';
import {
  conflict,
  fieldError,
  type FieldError,
  invalidField,
  invalidRequest,
  notFound,
} from '../common/error/app-error';
import { type PageRequest, parsePageRequest } from '../common/paging/page-request';
import { isUuid } from '../common/text/id';
import { Database } from '../platform/database/database';
import { DestinationKinds } from '../destinations/destination-kinds';
import { ConnectionRunRepository, type RunRecord } from './connection-run.repository';
import { ConnectionTableRepository, type TableRecord } from './connection-table.repository';
import type { TableRequest } from './connection.entity';
import { type ConnectionRef, ConnectionService, auditTargetOf } from './connection.service';
import type {
  ConnectionRunDto,
  ConnectionTableDto,
  TableStatus,
  UpdateConnectionTableDto,
} from './dto/connection-table.dto';

/** Identifies a table of a connection. */
export interface TableRef extends ConnectionRef {
  readonly datagridId: string;
}

/** Audit events of requests that change the destination. */
const REQUEST_ACTIONS = {
  reset: 'connection_table_reset',
  repair: 'connection_table_repaired',
  check: null,
} as const satisfies Record<TableRequest, string | null>;

/** Tables and runs of a connection. A table whose datagrid is in the trash is not found. */
@Injectable()
export class ConnectionTableService {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionService,
    private readonly repository: ConnectionTableRepository,
    private readonly runs: ConnectionRunRepository,
    private readonly audit: AuditService,
    private readonly kinds: DestinationKinds,
  ) {}

  /** @throws AppError `not_found` */
  async list(ref: ConnectionRef, page: PageRequest): Promise<JsonResponse<ConnectionTableDto[]>> {
    await this.connections.get(ref);
    const [tables, total] = await this.repository.list(ref.id, page);
    return JsonResponse.page(
      tables.map((table) => this.dtoOf(table)),
      total,
      page,
    );
  }

  /**
   * Changes the name of a table before its first load, or its columns. The next run, which is
   * due now, adds and removes columns in the destination.
   * @throws AppError `not_found`, `invalid_request`, or `conflict` if the name is taken or can no
   *   longer change.
   */
  async update(
    ref: TableRef,
    { name, columns }: UpdateConnectionTableDto,
    by: Actor,
  ): Promise<ConnectionTableDto> {
    const { accountId, id, datagridId } = ref;
    return this.database.transaction(async () => {
      const connection = await this.connections.lock(ref);
      const before = await this.repository.lock(id, datagridId);
      if (!before) throw notFound('Table');
      const isRenamed = name !== undefined && name !== before.name;
      if (isRenamed && before.isStarted) throw nameIsFixed();
      if (isRenamed && (await this.repository.isNameTaken(id, datagridId, name))) throw nameTaken();
      const columnIds =
        columns === undefined ? before.columnIds : await this.columnIds(datagridId, columns);
      const hasOtherColumns = String(columnIds) !== String(before.columnIds);
      await this.repository.change(id, datagridId, { name: name ?? before.name, columnIds });
      if (hasOtherColumns) await this.repository.restart(id, datagridId);
      const names = [
        ...(name === undefined ? [] : ['name']),
        ...(columns === undefined ? [] : ['columns']),
      ];
      const details = { datagridId, properties: names.join(', ') };
      const target = auditTargetOf(connection);
      await this.audit.record(accountId, by, 'connection_table_updated', target, { details });
      const after = await this.repository.find(id, datagridId);
      if (!after) throw notFound('Table');
      return this.dtoOf(after);
    });
  }

  /**
   * Requests that the next run, which is due now, loads, checks or repairs a table. A request that
   * includes it already stays.
   * @throws AppError `not_found`
   */
  async request(ref: TableRef, request: TableRequest, by: Actor): Promise<void> {
    const { accountId, id, datagridId } = ref;
    await this.database.transaction(async () => {
      const connection = await this.connections.lock(ref);
      if (!(await this.repository.lock(id, datagridId))) throw notFound('Table');
      await this.repository.request(id, datagridId, request);
      const action = REQUEST_ACTIONS[request];
      if (action === null) return;
      const details = { datagridId };
      await this.audit.record(accountId, by, action, auditTargetOf(connection), { details });
    });
  }

  /**
   * Returns one page of runs, newest first.
   * @param query `page`, `limit` and `datagridId` of the URL.
   * @throws AppError `not_found` or `invalid_request`.
   */
  async listRuns(
    ref: ConnectionRef,
    query: Readonly<Record<string, unknown>>,
  ): Promise<JsonResponse<ConnectionRunDto[]>> {
    const page = parsePageRequest(query);
    if (!page.ok) throw invalidRequest(page.errors);
    const datagridId = readDatagridId(query['datagridId']);
    await this.connections.get(ref);
    const [runs, total] = await this.runs.list(ref.id, datagridId, page.value);
    return JsonResponse.page(runs.map(runDto), total, page.value);
  }

  private dtoOf(table: TableRecord): ConnectionTableDto {
    const kind = this.kinds.find(table.type);
    const columns = (table.destinationColumns ?? []).flatMap(({ id, state, ...column }) => {
      const key = id === null ? null : (table.keys?.[id] ?? null);
      return kind ? [{ key, ...kind.describeColumn(column), state }] : [];
    });
    return { ...tableDto(table), destinationColumns: columns };
  }

  private async columnIds(
    datagridId: string,
    keys: readonly string[] | null,
  ): Promise<number[] | null> {
    if (keys === null) return null;
    const known = await this.repository.findColumns(datagridId, keys);
    const errors = keys.flatMap((key, index): FieldError[] => {
      const field = `columns.${String(index)}`;
      const column = known.get(key);
      if (!column) {
        return [fieldError(field, 'unknown_column', `unknown column ${JSON.stringify(key)}`)];
      }
      if (!isComputed(column.type)) return [];
      const message = 'is computed, and syncs have only stored values; leave it out';
      return [fieldError(field, 'incompatible_parameters', message)];
    });
    if (errors.length > 0) throw invalidRequest(errors);
    return [...known.values()].map(({ id }) => id).sort((a, b) => a - b);
  }
}

function readDatagridId(text: unknown): string | null {
  if (text === undefined) return null;
  if (typeof text === 'string' && isUuid(text)) return text.toLowerCase();
  throw invalidField('datagridId', 'invalid_format', 'must be the id of a datagrid');
}

const nameIsFixed = (): Error =>
  conflict('The table can no longer be renamed, because its first load has begun.');

const nameTaken = (): Error =>
  conflict('Another table of this connection has this name.', [
    fieldError('name', 'duplicate', 'is the name of another table of this connection'),
  ]);

function statusOf({ enabled, failures, loadedRows, revision }: TableRecord): TableStatus {
  if (!enabled) return 'paused';
  if (failures > 0) return 'failing';
  if (loadedRows !== null) return 'loading';
  return revision === null ? 'waiting' : 'synced';
}

function tableDto(table: TableRecord): Omit<ConnectionTableDto, 'destinationColumns'> {
  return {
    datagridId: table.datagridId,
    name: table.name,
    columns: table.columns,
    status: statusOf(table),
    loadedRows: table.loadedRows,
    totalRows: table.loadedRows === null ? null : table.rowCount,
    revision: table.revision,
    datagridRevision: table.datagridRevision,
    syncedAt: table.syncedAt?.toISOString() ?? null,
    lagSeconds: table.lagSeconds,
    lastError: table.lastError,
    lastErrorAt: table.lastErrorAt?.toISOString() ?? null,
    checkedAt: table.checkedAt?.toISOString() ?? null,
    differentRows: table.differentRows,
    request: table.request,
  };
}

function runDto({ startedAt, endedAt, ...run }: RunRecord): ConnectionRunDto {
  const { id, datagridId, rows, bytes, revision, error } = run;
  const times = { startedAt: startedAt.toISOString(), endedAt: endedAt.toISOString() };
  return { id, datagridId, ...times, rows, bytes, revision, error };
}
