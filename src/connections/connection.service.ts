import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { quotaExceeded, QuotaService } from '../auth/quota/quota.service';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import {
  conflict,
  type FieldError,
  invalidField,
  invalidRequest,
  notFound,
} from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { etagOfText } from '../platform/http/etag';
import { WorkspaceService } from '../workspaces/workspace.service';
import { ConnectionSecrets } from '../destinations/connection-secrets';
import { ConnectionTableRepository } from './connection-table.repository';
import {
  type ConnectionChange,
  type ConnectionRecord,
  ConnectionRepository,
  type NewConnection,
  type StoredAccess,
} from './connection.repository';
import type { DeletionMode } from '../destinations/destination';
import { requireAccountFiles } from './account-file-access';
import type { DestinationKind, DestinationSettings } from '../destinations/destination-kind';
import { DestinationKinds } from '../destinations/destination-kinds';
import type {
  ConnectionDto,
  ConnectionStatus,
  CreateConnectionDto,
  UpdateConnectionDto,
} from './dto/connection.dto';
import { ConnectionHooks } from './connection-hooks';
import { TableSetRepository } from './table-set.repository';

/** Identifies a connection of an account. */
export interface ConnectionRef {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly id: string;
}

/** Connections of one workspace. Those of another account or of a workspace in the trash are not found. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: ConnectionRepository,
    private readonly tables: ConnectionTableRepository,
    private readonly tableSet: TableSetRepository,
    private readonly hooks: ConnectionHooks,
    private readonly kinds: DestinationKinds,
    private readonly workspaces: WorkspaceService,
    private readonly quotas: QuotaService,
    private readonly secrets: ConnectionSecrets,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError `not_found`, `invalid_request`, `quota_exceeded`. */
  async create(
    accountId: string,
    workspaceId: string,
    body: CreateConnectionDto,
    by: Actor,
  ): Promise<JsonResponse<ConnectionDto>> {
    const id = newId();
    return this.database.transaction(async () => {
      // Serializes the counts with other changes of the account's connections.
      await this.quotas.lock(accountId);
      if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound('Workspace');
      const kind = this.kinds.get(body.type);
      const { deletions = 'delete', intervalSeconds = null } = body;
      requireMode(kind, deletions);
      requireInterval(kind, intervalSeconds);
      const settings = validateSettings(kind, {
        settings: body.settings,
        secret: body.secret ?? null,
      });
      requireAccountFiles(kind, settings, by);
      const connection: NewConnection = {
        id,
        accountId,
        workspaceId,
        name: body.name,
        type: body.type,
        settings,
        secret: body.secret == null ? null : this.secrets.seal(id, body.secret),
        datagridIds: inLowerCase(body.datagridIds ?? null),
        deletions,
        intervalSeconds,
        enabled: body.enabled ?? true,
      };
      const { maxConnectionsPerAccount: max } = this.config;
      if ((await this.repository.count(accountId)) >= max) throw quotaExceeded('connections', max);
      await this.requireDatagrids({ accountId, workspaceId }, connection.datagridIds);
      await this.repository.insert(connection);
      await this.alignTables({ accountId, id });
      await this.audit.record(accountId, by, 'connection_created', auditTargetOf(connection));
      return toItem(await this.read({ accountId, workspaceId, id }));
    });
  }

  /** @throws AppError `not_found` */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<JsonResponse<ConnectionDto[]>> {
    await this.workspaces.get(accountId, workspaceId);
    const [connections, total] = await this.repository.list(accountId, workspaceId, page);
    return JsonResponse.page(connections.map(toDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(ref: ConnectionRef): Promise<JsonResponse<ConnectionDto>> {
    await this.workspaces.get(ref.accountId, ref.workspaceId);
    return toItem(await this.read(ref));
  }

  /** Returns the destination with its secret as it is stored. @throws AppError `not_found` */
  async getAccess({ accountId, workspaceId, id }: ConnectionRef): Promise<StoredAccess> {
    await this.workspaces.get(accountId, workspaceId);
    const target = await this.repository.findAccess(accountId, workspaceId, id);
    if (!target) throw notFound('Connection');
    return target;
  }

  /**
   * Changes a connection. Runs in progress stop, unless only the name or the datagrids change, and are
   * due again at once.
   * @throws AppError `not_found`, `invalid_request`, `quota_exceeded`, `conflict` if `deletions` can no
   *   longer change, or `precondition_failed` if the connection has changed.
   */
  async update(
    ref: ConnectionRef,
    body: UpdateConnectionDto,
    ifMatch: IfMatch,
    by: Actor,
  ): Promise<JsonResponse<ConnectionDto>> {
    const { name, secret, deletions, intervalSeconds, enabled } = body;
    return this.database.transaction(async () => {
      // Serializes the count of tables.
      if (body.datagridIds !== undefined) await this.quotas.lock(ref.accountId);
      const before = await this.lockMatching(ref, ifMatch);
      const settings = this.settingsAfter(before, body);
      requireAccountFiles(this.kinds.get(before.type), settings ?? before.settings, by);
      const datagridIds =
        body.datagridIds === undefined ? undefined : inLowerCase(body.datagridIds);
      if (datagridIds !== undefined) await this.requireDatagrids(ref, datagridIds);
      if (deletions !== undefined && deletions !== before.deletions) {
        requireMode(this.kinds.get(before.type), deletions);
        if (await this.tables.lockAll(ref.id)) throw deletionsAreFixed();
      }
      if (intervalSeconds !== undefined) {
        requireInterval(this.kinds.get(before.type), intervalSeconds);
      }
      const change: ConnectionChange = {
        ...(name !== undefined && { name }),
        ...(settings !== undefined && { settings }),
        ...(secret !== undefined && {
          secret: secret === null ? null : this.secrets.seal(ref.id, secret),
        }),
        ...(datagridIds !== undefined && { datagridIds }),
        ...(deletions !== undefined && { deletions }),
        ...(intervalSeconds !== undefined && { intervalSeconds }),
        ...(enabled !== undefined && { enabled }),
      };
      await this.repository.update(ref.id, change);
      if (datagridIds !== undefined) await this.alignTables(ref);
      const names = Object.keys(change);
      if (names.some((each) => each !== 'name' && each !== 'datagridIds')) {
        await this.tables.restartAll(ref.id);
      }
      if (names.some((each) => ['settings', 'secret', 'enabled'].includes(each))) {
        await this.hooks.restartRuns(ref.id);
      }
      const after = await this.read(ref);
      const details = { properties: names.join(', ') };
      const { accountId } = ref;
      await this.audit.record(accountId, by, 'connection_updated', auditTargetOf(after), {
        details,
      });
      return toItem(after);
    });
  }

  /**
   * Deletes a connection. Its tables in the destination stay.
   * @throws AppError `not_found`, or `precondition_failed` if it has changed.
   */
  async delete(ref: ConnectionRef, ifMatch: IfMatch, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      const connection = await this.lockMatching(ref, ifMatch);
      await this.repository.delete(ref.accountId, ref.workspaceId, ref.id);
      await this.audit.record(ref.accountId, by, 'connection_deleted', auditTargetOf(connection));
    });
  }

  /**
   * Locks a connection until the end of the transaction. Use inside a transaction.
   * @throws AppError `not_found`
   */
  async lock(ref: ConnectionRef): Promise<ConnectionRecord> {
    const { accountId, workspaceId, id } = ref;
    if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound('Workspace');
    if (!(await this.repository.lock(accountId, workspaceId, id))) throw notFound('Connection');
    return this.read(ref);
  }

  /** Requires that a datagrid is in a workspace. @throws AppError `invalid_request` */
  async requireDatagrid(
    { accountId, workspaceId }: Omit<ConnectionRef, 'id'>,
    datagridId: string,
  ): Promise<void> {
    const ids = [datagridId.toLowerCase()];
    const unknown = await this.repository.listUnknownDatagrids(accountId, workspaceId, ids);
    if (unknown.size === 0) return;
    throw invalidField('datagridId', 'unknown_datagrid', 'is not a datagrid of this workspace');
  }

  private async lockMatching(ref: ConnectionRef, ifMatch: IfMatch): Promise<ConnectionRecord> {
    const connection = await this.lock(ref);
    ifMatch.requireVersion(connection.version);
    return connection;
  }

  private async read({ accountId, workspaceId, id }: ConnectionRef): Promise<ConnectionRecord> {
    const connection = await this.repository.find(accountId, workspaceId, id);
    if (!connection) throw notFound('Connection');
    return connection;
  }

  /**
   * Returns the settings after a change; `undefined` if they stay. With other settings, the stored
   * secret could be sent to somebody's own server, who cannot read it otherwise.
   */
  private settingsAfter(
    before: ConnectionRecord,
    { settings, secret }: UpdateConnectionDto,
  ): DestinationSettings | undefined {
    if (settings === undefined && secret === undefined) return undefined;
    const kind = this.kinds.get(before.type);
    const next = validateSettings(kind, {
      settings: settings ?? before.settings,
      secret: before.hasSecret ? secret : (secret ?? null),
    });
    if (settings === undefined || isDeepStrictEqual(next, before.settings)) return undefined;
    if (before.hasSecret && secret === undefined) {
      const message = 'must be sent again, because the settings change';
      throw invalidField('secret', 'required', message);
    }
    return next;
  }

  /** Makes the tables those of the connection's datagrids. @throws AppError `quota_exceeded` */
  private async alignTables({ accountId, id }: Omit<ConnectionRef, 'workspaceId'>): Promise<void> {
    const { maxConnectionTablesPerAccount: max } = this.config;
    const before = await this.tableSet.count(accountId);
    await this.tableSet.removeOthers(id);
    const room = Math.max(max, before) - (await this.tableSet.count(accountId));
    const missing = await this.tableSet.listMissing(id, room + 1);
    if (missing.length > room) throw quotaExceeded('tables of connections', max);
    await this.tableSet.add(id, missing);
  }

  private async requireDatagrids(
    { accountId, workspaceId }: Omit<ConnectionRef, 'id'>,
    ids: readonly string[] | null,
  ): Promise<void> {
    if (ids === null) return;
    const unknown = await this.repository.listUnknownDatagrids(accountId, workspaceId, ids);
    const message = 'is not a datagrid of this workspace';
    const errors = ids.flatMap((id, index): FieldError[] =>
      unknown.has(id)
        ? [{ field: `datagridIds.${String(index)}`, code: 'unknown_datagrid', message }]
        : [],
    );
    if (errors.length > 0) throw invalidRequest(errors);
  }
}

/**
 * Checks settings and whether there can be a secret. @returns the settings to store.
 * @throws AppError `invalid_request`
 */
export function validateSettings(
  kind: DestinationKind,
  { settings, secret }: { settings: DestinationSettings; secret?: string | null | undefined },
): DestinationSettings {
  if (secret != null && !kind.hasSecret) {
    throw invalidField('secret', 'incompatible_parameters', 'must not be sent with this type');
  }
  const checked = kind.readSettings(settings);
  // A stored secret stays only with the settings for which it was checked.
  if (secret !== undefined) kind.checkSecret?.(checked, secret);
  return checked;
}

/** @throws AppError `invalid_request` if destinations of a kind are not synced as often. */
function requireInterval(
  { minIntervalSeconds: min }: DestinationKind,
  intervalSeconds: number | null,
): void {
  if (min === undefined || (intervalSeconds ?? 0) >= min) return;
  if (intervalSeconds === null) {
    const message = `is required with this type; at least ${String(min)}`;
    throw invalidField('intervalSeconds', 'required', message);
  }
  const message = `must be at least ${String(min)} with this type`;
  throw invalidField('intervalSeconds', 'out_of_range', message);
}

/** @throws AppError `invalid_request` if the destinations of a kind do not support a mode. */
function requireMode({ deletionModes }: DestinationKind, deletions: DeletionMode): void {
  if (deletionModes.includes(deletions)) return;
  const message = `is not available with this type; expected one of: ${deletionModes.join(', ')}`;
  throw invalidField('deletions', 'not_a_choice', message);
}

const deletionsAreFixed = (): Error =>
  conflict(
    'The deletions of this connection can no longer change, because its destination has rows. Create another connection.',
  );

const inLowerCase = (ids: readonly string[] | null): string[] | null =>
  ids?.map((id) => id.toLowerCase()) ?? null;

/** Target of the audit events of a connection. */
export const auditTargetOf = ({
  id,
  name,
}: Pick<ConnectionRecord, 'id' | 'name'>): ReturnType<typeof auditTarget> =>
  auditTarget('connection', id, name);

/** The ETag begins with the version, which `If-Match` compares: health changes with syncs. */
function toItem(connection: ConnectionRecord): JsonResponse<ConnectionDto> {
  const data = toDto(connection);
  const tag = etagOfText(JSON.stringify(data)).slice(1);
  return JsonResponse.of(data, `"${String(connection.version)}-${tag}`);
}

/** Returns the status of a connection. */
export function statusOf({
  enabled,
  failingTables,
}: Pick<ConnectionRecord, 'enabled' | 'failingTables'>): ConnectionStatus {
  if (!enabled) return 'paused';
  return failingTables > 0 ? 'failing' : 'active';
}

function toDto(connection: ConnectionRecord): ConnectionDto {
  return {
    id: connection.id,
    workspaceId: connection.workspaceId,
    name: connection.name,
    type: connection.type,
    settings: connection.settings,
    hasSecret: connection.hasSecret,
    datagridIds: connection.datagridIds,
    deletions: connection.deletions,
    intervalSeconds: connection.intervalSeconds,
    enabled: connection.enabled,
    status: statusOf(connection),
    tables: connection.tables,
    failingTables: connection.failingTables,
    lastError: connection.lastError,
    lastErrorAt: connection.lastErrorAt?.toISOString() ?? null,
    syncedAt: connection.syncedAt?.toISOString() ?? null,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}
