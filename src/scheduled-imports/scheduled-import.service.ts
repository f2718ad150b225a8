import { findColumn, type SchemaColumn } from '../datagrids/schema/datagrid-schema';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requireAccountFiles } from '../connections/account-file-access';
import { type Actor, type AuditAction, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { quotaExceeded, QuotaService } from '../auth/quota/quota.service';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import {
  AppError,
  conflict,
  type FieldError,
  fieldError,
  invalidField,
  invalidRequest,
  notFound,
} from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { newId, shorten } from '../common/text/id';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { etagOfText } from '../platform/http/etag';
import type { RateCounter } from '../platform/throttling/rate-counter';
import { RateCounters } from '../platform/throttling/rate-counters';
import type { ConnectionRecord } from '../connections/connection.repository';
import { type ConnectionRef, ConnectionService } from '../connections/connection.service';
import { ConnectionHooks } from '../connections/connection-hooks';
import { DestinationKinds } from '../destinations/destination-kinds';
import type { SourceQuery } from '../destinations/source';
import type {
  CreateScheduledImportDto,
  ScheduledImportDto,
  ScheduledImportRunDto,
  UpdateScheduledImportDto,
} from './dto/scheduled-import.dto';
import { type ColumnIds, idsOf, type PresentColumns, presentColumns } from './named-columns';
import { runDto, toDto } from './scheduled-import-view';
import {
  type NewScheduledImport,
  type ScheduledImportChange,
  type ScheduledImportRecord,
  ScheduledImportRepository,
} from './scheduled-import.repository';

/** Identifies a scheduled import of a connection. */
export interface ScheduledImportRef extends ConnectionRef {
  readonly scheduledImportId: string;
}

/** Properties that a run in progress does not have to know. */
const HARMLESS: readonly string[] = ['name'];

/** Window of `scheduledImportRequestLimit`. */
const WINDOW_SECONDS = 60;

/** Scheduled imports of one connection. One into a datagrid in the trash is not found. */
@Injectable()
export class ScheduledImportService implements OnModuleInit {
  private readonly requests: RateCounter;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: ScheduledImportRepository,
    private readonly connections: ConnectionService,
    private readonly hooks: ConnectionHooks,
    private readonly schemas: DatagridSchemaService,
    private readonly kinds: DestinationKinds,
    private readonly quotas: QuotaService,
    private readonly audit: AuditService,
    counters: RateCounters,
  ) {
    const { scheduledImportRequestLimit: limit } = config;
    this.requests = counters.create('scheduled-import-requests', limit, WINDOW_SECONDS);
  }

  onModuleInit(): void {
    this.hooks.register((connectionId) => this.repository.restartAll(connectionId));
  }

  /** @throws AppError `not_found`, `invalid_request`, `quota_exceeded`, `conflict`. */
  async create(
    ref: ConnectionRef,
    body: CreateScheduledImportDto,
    by: Actor,
  ): Promise<JsonResponse<ScheduledImportDto>> {
    const { accountId } = ref;
    requireOneSource(body);
    return this.database.transaction(async () => {
      // Serializes the counts with other changes of the account's imports.
      await this.quotas.lock(accountId);
      const connection = await this.connections.lock(ref);
      const kind = this.kinds.get(connection.type);
      if (!kind.createSource) throw notReadable(connection);
      requireAccountFiles(kind, connection.settings, by);
      const { maxScheduledImportsPerAccount: max } = this.config;
      if ((await this.repository.count(accountId)) >= max) {
        throw quotaExceeded('scheduled imports', max);
      }
      const created: NewScheduledImport = {
        id: newId(),
        connectionId: ref.id,
        datagridId: body.datagridId.toLowerCase(),
        name: body.name,
        query: body.query ?? null,
        table: body.table ?? null,
        keyColumns: body.keyColumns,
        columns: body.columns ?? null,
        columnIds: null,
        missingRows: body.missingRows ?? 'keep',
        allowEmptyResult: body.allowEmptyResult ?? false,
        intervalSeconds: body.intervalSeconds ?? null,
        enabled: body.enabled ?? true,
      };
      const columnIds = await this.requireValid(ref, connection, created);
      await this.repository.insert({ ...created, columnIds });
      const after = await this.read(ref.id, created.id);
      await this.record(ref, by, 'scheduled_import_created', connection, after);
      return toItem(await this.withPresentColumns(ref, after));
    });
  }

  /** @throws AppError `not_found` */
  async list(ref: ConnectionRef, page: PageRequest): Promise<JsonResponse<ScheduledImportDto[]>> {
    await this.connections.get(ref);
    const [found, total] = await this.repository.list(ref.id, page);
    const present: ScheduledImportRecord[] = [];
    for (const each of found) present.push(await this.withPresentColumns(ref, each));
    return JsonResponse.page(present.map(toDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(ref: ScheduledImportRef): Promise<JsonResponse<ScheduledImportDto>> {
    await this.connections.get(ref);
    const found = await this.read(ref.id, ref.scheduledImportId);
    return toItem(await this.withPresentColumns(ref, found));
  }

  /**
   * Changes a scheduled import. A run in progress ends, unless only the name changes, and with a
   * schedule the next one is due now.
   * @throws AppError `not_found`, `invalid_request`, `conflict`, or `precondition_failed` if it has
   *   changed.
   */
  async update(
    ref: ScheduledImportRef,
    body: UpdateScheduledImportDto,
    ifMatch: IfMatch,
    by: Actor,
  ): Promise<JsonResponse<ScheduledImportDto>> {
    // What was not sent is `undefined` in a body, and is no change.
    const sent = Object.entries(body).filter(([, value]) => value !== undefined);
    const change: ScheduledImportChange = {
      ...(Object.fromEntries(sent) as ScheduledImportChange),
      ...(body.datagridId !== undefined && { datagridId: body.datagridId.toLowerCase() }),
      ...(body.query != null && body.table === undefined && { table: null }),
      ...(body.table != null && body.query === undefined && { query: null }),
    };
    return this.database.transaction(async () => {
      const connection = await this.connections.lock(ref);
      requireAccountFiles(this.kinds.get(connection.type), connection.settings, by);
      const before = await this.matching(ref, ifMatch);
      const { keyColumns, columns, removed } = await this.keptColumns(ref, before, change);
      const next = { ...before, keyColumns: [...keyColumns], columns, ...change };
      requireOneSource(next);
      const columnIds = await this.requireValid(ref, connection, next, removed);
      await this.repository.update(before.id, {
        ...change,
        keyColumns: next.keyColumns,
        columns: next.columns,
        columnIds,
      });
      const names = Object.keys(change);
      if (names.some((name) => !HARMLESS.includes(name))) {
        await this.repository.restart(ref.id, before.id);
      }
      const after = await this.read(ref.id, before.id);
      const properties = Object.keys(body).join(', ');
      await this.record(ref, by, 'scheduled_import_updated', connection, after, { properties });
      return toItem(await this.withPresentColumns(ref, after));
    });
  }

  /**
   * Deletes a scheduled import with its runs. Rows stay. A run in progress ends.
   * @throws AppError `not_found`, or `precondition_failed` if it has changed.
   */
  async delete(ref: ScheduledImportRef, ifMatch: IfMatch, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      const connection = await this.connections.lock(ref);
      requireAccountFiles(this.kinds.get(connection.type), connection.settings, by);
      const before = await this.matching(ref, ifMatch);
      await this.repository.delete(ref.id, before.id);
      await this.record(ref, by, 'scheduled_import_deleted', connection, before);
    });
  }

  /**
   * Requests a run as soon as a slot is free, and the import and the connection are enabled. During a
   * run, requests one that follows it. Requests are limited: runs and syncs can cause each other, and a
   * query can change what it reads.
   * @throws AppError `not_found` or `rate_limited`
   */
  async request(ref: ScheduledImportRef): Promise<void> {
    await this.connections.get(ref);
    const { id } = await this.read(ref.id, ref.scheduledImportId);
    const { allowed, resetSeconds } = await this.requests.hit(id);
    if (!allowed) throw tooManyRequests(resetSeconds);
    await this.database.transaction(async () => {
      await this.connections.lock(ref);
      const found = await this.read(ref.id, ref.scheduledImportId);
      await this.repository.request(ref.id, found.id);
    });
  }

  /** Returns one page of runs, newest first. @throws AppError `not_found` */
  async listRuns(
    ref: ScheduledImportRef,
    page: PageRequest,
  ): Promise<JsonResponse<ScheduledImportRunDto[]>> {
    await this.connections.get(ref);
    const { id } = await this.read(ref.id, ref.scheduledImportId);
    const [runs, total] = await this.repository.listRuns(id, page);
    return JsonResponse.page(runs.map(runDto), total, page);
  }

  private async read(connectionId: string, id: string): Promise<ScheduledImportRecord> {
    const found = await this.repository.find(connectionId, id);
    if (!found) throw notFound('Scheduled import');
    return found;
  }

  private async matching(
    { id, scheduledImportId }: ScheduledImportRef,
    ifMatch: IfMatch,
  ): Promise<ScheduledImportRecord> {
    const found = await this.read(id, scheduledImportId);
    ifMatch.requireVersion(found.version);
    return found;
  }

  /** Returns the import with the keys that its columns have now. */
  private async withPresentColumns(
    { accountId }: ConnectionRef,
    scheduled: ScheduledImportRecord,
  ): Promise<ScheduledImportRecord> {
    const schema = await this.schemas.get(accountId, scheduled.datagridId);
    const { keyColumns, columns } = presentColumns(schema, scheduled);
    return { ...scheduled, keyColumns: [...keyColumns], columns };
  }

  /** Returns the columns that a change keeps, by the keys that they have now. */
  private async keptColumns(
    { accountId }: ConnectionRef,
    { datagridId, keyColumns, columns, columnIds }: ScheduledImportRecord,
    change: ScheduledImportChange,
  ): Promise<PresentColumns> {
    const isMoved = change.datagridId !== undefined && change.datagridId !== datagridId;
    const schema = await this.schemas.get(accountId, datagridId);
    return presentColumns(schema, {
      keyColumns: change.keyColumns ? [] : keyColumns,
      columns: change.columns === undefined ? columns : null,
      // Keys name the columns of another datagrid there.
      columnIds: isMoved ? null : columnIds,
    });
  }

  /**
   * @param removed Keys of columns that were removed.
   * @returns the ids of the columns that the import names.
   * @throws AppError `invalid_request` or `conflict`
   */
  private async requireValid(
    { accountId, workspaceId }: ConnectionRef,
    connection: ConnectionRecord,
    { datagridId, keyColumns, columns, table }: NewScheduledImport,
    removed: readonly string[] = [],
  ): Promise<ColumnIds> {
    await this.connections.requireDatagrid({ accountId, workspaceId }, datagridId);
    const schema = await this.schemas.get(accountId, datagridId);
    const find = (key: string): SchemaColumn | undefined =>
      removed.includes(key) ? undefined : findColumn(schema, key);
    const unknown = (field: string, key: string): FieldError =>
      fieldError(field, 'unknown_column', `unknown column ${shown(key)}`);
    const keys = keyColumns.map(find);
    const errors = [
      ...keyColumns.flatMap((key, index): FieldError[] => {
        const field = `keyColumns.${String(index)}`;
        const column = keys[index];
        if (!column) return [unknown(field, key)];
        if (keys.indexOf(column) < index) {
          return [fieldError(field, 'duplicate_column', 'duplicates an earlier column')];
        }
        const message = `column ${shown(key)} is not unique`;
        return column.unique ? [] : [fieldError(field, 'not_unique', message)];
      }),
      ...Object.entries(columns ?? {}).flatMap(([name, key]): FieldError[] => {
        const column = find(key);
        if (!column) return [unknown(`columns.${name}`, key)];
        const message = `column ${shown(key)} is set by the service; leave it out of the query`;
        return column.isReadOnly ? [fieldError(`columns.${name}`, 'read_only', message)] : [];
      }),
    ];
    if (errors.length > 0) throw invalidRequest(errors);
    const name = table === null ? null : copyName(table, connection);
    if (name !== null && (await this.repository.isCopy(connection.id, datagridId, name))) {
      const message = 'is the copy of this datagrid that the connection itself keeps';
      throw invalidField('table', 'incompatible_parameters', message);
    }
    return idsOf(schema, { keyColumns, columns });
  }

  private async record(
    { accountId }: ConnectionRef,
    by: Actor,
    action: AuditAction,
    connection: ConnectionRecord,
    { id, name }: ScheduledImportRecord,
    others: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const details = { connectionId: connection.id, connection: connection.name, ...others };
    const target = auditTarget('scheduled_import', id, name);
    await this.audit.record(accountId, by, action, target, { details });
  }
}

const MAX_SHOWN = 63;
const shown = (key: string): string => JSON.stringify(shorten(key, MAX_SHOWN));

/** Returns what is read: a query or a table. @throws AppError `invalid_request` unless it is one. */
export function requireOneSource({
  query = null,
  table = null,
}: {
  readonly query?: string | null;
  readonly table?: string | null;
}): SourceQuery {
  if (query !== null && table === null) return { query };
  if (query === null && table !== null) return { table: table.split('.') };
  if (query === null) throw invalidField('query', 'required', 'is required without `table`');
  throw invalidField('table', 'incompatible_parameters', 'must be null if `query` is sent');
}

/** Returns the name of a table in the schema that the connection writes; `null` in another one. */
function copyName(table: string, { settings }: ConnectionRecord): string | null {
  const [schema = '', name] = table.split('.');
  if (name === undefined) return schema;
  const own = settings['schema'] ?? settings['database'] ?? 'main';
  return typeof own === 'string' && own.toLowerCase() === schema.toLowerCase() ? name : null;
}

function tooManyRequests(seconds: number): AppError {
  const message = 'Too many runs of this import were requested. Retry later.';
  return new AppError('rate_limited', message, { headers: { 'Retry-After': String(seconds) } });
}

const notReadable = ({ type }: ConnectionRecord): Error =>
  conflict(`Connections of type ${type} cannot be read. Import from another database.`);

/** The ETag begins with the version, which `If-Match` compares: health changes with runs. */
function toItem(scheduled: ScheduledImportRecord): JsonResponse<ScheduledImportDto> {
  const data = toDto(scheduled);
  const tag = etagOfText(JSON.stringify(data)).slice(1);
  return JsonResponse.of(data, `"${String(scheduled.version)}-${tag}`);
}
