import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { quotaExceeded, QuotaService } from '../auth/quota/quota.service';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import {
  type AppError,
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
import { hostOf } from '../platform/outbound/address-policy';
import { WorkspaceService } from '../workspaces/workspace.service';
import { WebhookSender } from './delivery/webhook-sender';
import type {
  CreateWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookStatus,
  WebhookWithSecretDto,
} from './dto/webhook.dto';
import { SUBSCRIBED_TYPES } from './event-type';
import type { FilterJson } from '../rows/query/filter/stored-filter';
import { WebhookFilterService } from './filter/webhook-filter.service';
import { LaneSetRepository } from './lane-set.repository';
import { createSigningKey, printedSecret } from './signature';
import { SigningSecrets } from './signing-secrets';
import { hostNameOf } from './webhook-health.service';
import { type NewWebhook, type WebhookRecord, WebhookRepository } from './webhook.repository';

/** Time for which the previous secret signs after a rotation. */
const ROTATION_HOURS = 24;

/** Identifies a webhook of an account. */
export interface WebhookRef {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly id: string;
}

/** Webhooks of one workspace. Those of another account or of a workspace in the trash are not found. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: WebhookRepository,
    private readonly lanes: LaneSetRepository,
    private readonly filters: WebhookFilterService,
    private readonly workspaces: WorkspaceService,
    private readonly quotas: QuotaService,
    private readonly sender: WebhookSender,
    private readonly secrets: SigningSecrets,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError `not_found`, `invalid_request`, `query_too_expensive`, `quota_exceeded`. */
  async create(
    accountId: string,
    workspaceId: string,
    body: CreateWebhookDto,
    by: Actor,
  ): Promise<JsonResponse<WebhookWithSecretDto>> {
    this.requireUrl(body.url);
    const key = createSigningKey();
    const id = newId();
    const webhook: Omit<NewWebhook, 'filter'> = {
      id,
      accountId,
      workspaceId,
      url: body.url,
      description: body.description ?? '',
      events: body.events ?? [...SUBSCRIBED_TYPES],
      datagridIds: inLowerCase(body.datagridIds ?? null),
      payload: body.payload ?? 'full',
      enabled: body.enabled ?? true,
      secret: this.secrets.seal(id, key),
    };
    const created = await this.database.transaction(async () => {
      // Serializes the count with other new webhooks of the account.
      await this.quotas.lock(accountId);
      if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound('Workspace');
      const { maxWebhooksPerAccount: max } = this.config;
      if ((await this.repository.count(accountId)) >= max) throw quotaExceeded('webhooks', max);
      await this.requireDatagrids(webhook, webhook.datagridIds);
      const filter = body.filter
        ? await this.filters.check(accountId, webhook.datagridIds, body.filter)
        : null;
      await this.repository.insert({ ...webhook, filter });
      if (!webhook.enabled) await this.repository.update(id, { disabledReason: 'user' });
      await this.alignLanes({ accountId, id });
      const target = auditTarget('webhook', id, hostNameOf(body.url));
      await this.audit.record(accountId, by, 'webhook_created', target);
      return this.item(await this.read({ accountId, workspaceId, id }));
    });
    return withSecret(created, key);
  }

  /** @throws AppError `not_found` */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<JsonResponse<WebhookDto[]>> {
    await this.workspaces.get(accountId, workspaceId);
    const [records, total] = await this.repository.list(accountId, workspaceId, page);
    const filters = await this.filters.print(records);
    const webhooks = records.map((record) => toDto(record, filters.get(record.id) ?? null));
    return JsonResponse.page(webhooks, total, page);
  }

  /** @throws AppError `not_found` */
  async get(ref: WebhookRef): Promise<JsonResponse<WebhookDto>> {
    await this.workspaces.get(ref.accountId, ref.workspaceId);
    return this.item(await this.read(ref));
  }

  /**
   * Changes a webhook. New datagrids begin at their current revision. If it is enabled, it resumes
   * where it stopped.
   * @throws AppError `not_found`, `invalid_request`, `query_too_expensive`, `quota_exceeded`, or
   *   `precondition_failed` if it has changed.
   */
  async update(
    ref: WebhookRef,
    body: UpdateWebhookDto,
    ifMatch: IfMatch,
    by: Actor,
  ): Promise<JsonResponse<WebhookDto>> {
    const { url, description, events, datagridIds, filter, payload, enabled } = body;
    if (url !== undefined) this.requireUrl(url);
    const change = {
      ...(url !== undefined && { url }),
      ...(description !== undefined && { description }),
      ...(events !== undefined && { events }),
      ...(datagridIds !== undefined && { datagridIds: inLowerCase(datagridIds) }),
      ...(filter !== undefined && { filter }),
      ...(payload !== undefined && { payload }),
      ...(enabled !== undefined && { enabled }),
    };
    return this.database.transaction(async () => {
      // Serializes the count of lanes.
      if (datagridIds !== undefined) await this.quotas.lock(ref.accountId);
      const before = await this.lockMatching(ref, ifMatch);
      if (change.datagridIds !== undefined) await this.requireDatagrids(ref, change.datagridIds);
      const isSwitched = enabled !== undefined && enabled !== before.enabled;
      const disabledReason = enabled === true ? null : ('user' as const);
      await this.repository.update(ref.id, {
        ...change,
        filter: await this.filterAfter(before, body),
        ...(isSwitched && { disabledReason }),
      });
      if (datagridIds !== undefined) await this.alignLanes(ref);
      const names = Object.keys(change);
      const isOnlyDescribed = names.every((name) => name === 'description');
      if (!isOnlyDescribed) await this.lanes.fence(ref.id, attemptMs(this.config));
      if (isSwitched || url !== undefined) await this.lanes.resume(ref.id);
      const after = await this.read(ref);
      const target = auditTarget('webhook', ref.id, hostNameOf(after.url));
      const action = isSwitched && !after.enabled ? 'webhook_disabled' : 'webhook_updated';
      const details = { properties: names.join(', ') };
      await this.audit.record(ref.accountId, by, action, target, { details });
      return this.item(after);
    });
  }

  /** @throws AppError `not_found`, or `precondition_failed` if it has changed. */
  async delete(ref: WebhookRef, ifMatch: IfMatch, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      const { url } = await this.lockMatching(ref, ifMatch);
      await this.repository.delete(ref.accountId, ref.workspaceId, ref.id);
      const target = auditTarget('webhook', ref.id, hostNameOf(url));
      await this.audit.record(ref.accountId, by, 'webhook_deleted', target);
    });
  }

  /**
   * Replaces the secret. Deliveries are signed with both for 24 hours, unless the previous one cannot
   * be opened.
   * @throws AppError `not_found`
   */
  async rotate(ref: WebhookRef, by: Actor): Promise<JsonResponse<WebhookWithSecretDto>> {
    const { id } = ref;
    const key = createSigningKey();
    const secret = this.secrets.seal(id, key);
    return this.database.transaction(async () => {
      await this.lock(ref);
      const [current] = await this.repository.listSecrets(id);
      const opens = current !== undefined && this.secrets.opens(id, current);
      await this.repository.rotate(id, secret, ROTATION_HOURS, opens);
      const rotated = await this.read(ref);
      const item = await this.item(rotated);
      const target = auditTarget('webhook', id, hostNameOf(rotated.url));
      await this.audit.record(ref.accountId, by, 'webhook_secret_rotated', target);
      return withSecret(item, key);
    });
  }

  /**
   * Locks a webhook until the end of the transaction. Use inside a transaction.
   * @throws AppError `not_found`
   */
  async lock(ref: WebhookRef): Promise<WebhookRecord> {
    const { accountId, workspaceId, id } = ref;
    if (!(await this.workspaces.hold(accountId, workspaceId))) throw notFound('Workspace');
    if (!(await this.repository.lock(accountId, workspaceId, id))) throw notFound('Webhook');
    return this.read(ref);
  }

  private async lockMatching(ref: WebhookRef, ifMatch: IfMatch): Promise<WebhookRecord> {
    const webhook = await this.lock(ref);
    ifMatch.requireVersion(webhook.version);
    return webhook;
  }

  private async read({ accountId, workspaceId, id }: WebhookRef): Promise<WebhookRecord> {
    const webhook = await this.repository.find(accountId, workspaceId, id);
    if (!webhook) throw notFound('Webhook');
    return webhook;
  }

  /**
   * Returns the stored filter after a change. Checks it if it is new, or if the datagrid is another
   * one, or if the webhook is enabled.
   */
  private async filterAfter(
    before: WebhookRecord,
    { filter, datagridIds, enabled }: UpdateWebhookDto,
  ): Promise<string | null> {
    const isMoved = datagridIds !== undefined;
    const isChecked = filter !== undefined || isMoved || enabled === true;
    if (!isChecked) return before.filter;
    const json =
      filter === undefined ? (await this.filters.print([before])).get(before.id) : filter;
    if (json == null) return null;
    const ids = isMoved ? inLowerCase(datagridIds) : before.datagridIds;
    if (!isMoved && ids !== null) {
      const { accountId, workspaceId } = before;
      const unknown = await this.repository.listUnknownDatagrids(accountId, workspaceId, ids);
      // No rows of a deleted datagrid change.
      if (unknown.size > 0 && filter === undefined) return before.filter;
      if (unknown.size > 0) await this.requireDatagrids(before, ids);
    }
    return this.filters.check(before.accountId, ids, json);
  }

  private async item(webhook: WebhookRecord): Promise<JsonResponse<WebhookDto>> {
    const filter = (await this.filters.print([webhook])).get(webhook.id) ?? null;
    const data = toDto(webhook, filter);
    return JsonResponse.of(data, etagOf(webhook.version, data));
  }

  /** Checks what the URL itself tells. Each delivery checks the addresses that it connects to. */
  private requireUrl(text: string): void {
    const url = new URL(text);
    const { policy, privateRangesSetting: setting } = this.sender;
    const isHttps = url.protocol === 'https:';
    if (!isHttps && !(url.protocol === 'http:' && policy.allowsPrivate)) {
      throw httpsRequired(url, setting);
    }
    // An empty user name is not in the parsed URL.
    if (url.username !== '' || url.password !== '' || /^\w+:\/\/[^/?#]*@/.test(text)) {
      throw invalidField('url', 'invalid_format', 'must not contain a user name or password');
    }
    if (text.includes('#')) {
      throw invalidField('url', 'invalid_format', 'must not contain a fragment');
    }
    const host = hostOf(url);
    if (!policy.mayAcceptHost(host, isHttps)) {
      if (!isHttps && policy.accepts(host)) throw httpsRequired(url, setting);
      const message = `must not lead to a private, local or reserved address, unless the operator allows it in ${setting}`;
      throw invalidField('url', 'forbidden_address', message);
    }
  }

  /** Makes the lanes those of the webhook's datagrids. @throws AppError `quota_exceeded` */
  private async alignLanes({ accountId, id }: Omit<WebhookRef, 'workspaceId'>): Promise<void> {
    const { maxWebhookDatagridsPerAccount: max } = this.config;
    const before = await this.lanes.count(accountId);
    await this.lanes.align(id);
    const after = await this.lanes.count(accountId);
    if (after > max && after > before) {
      throw quotaExceeded('pairs of a webhook and a datagrid', max);
    }
  }

  private async requireDatagrids(
    { accountId, workspaceId }: Pick<WebhookRef, 'accountId' | 'workspaceId'>,
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

/** Maximum time of an attempt in milliseconds, with a margin. */
export function attemptMs({ webhookTimeoutSeconds }: AppConfig): number {
  return (webhookTimeoutSeconds + 2) * 1_000;
}

/** @param setting The setting that lists the addresses for plain HTTP. */
function httpsRequired({ protocol }: URL, setting: string): AppError {
  const isHttp = protocol === 'http:';
  const message = isHttp
    ? `must start with https://, unless it leads to an address that the operator allows in ${setting}`
    : 'must start with https://';
  return invalidField('url', 'invalid_format', message);
}

const inLowerCase = (ids: readonly string[] | null): string[] | null =>
  ids?.map((id) => id.toLowerCase()) ?? null;

/** The ETag begins with the version, which `If-Match` compares: health changes with deliveries. */
function etagOf(version: number, data: WebhookDto): string {
  return `"${String(version)}-${etagOfText(JSON.stringify(data)).slice(1)}`;
}

function withSecret(
  { data, etag }: JsonResponse<WebhookDto>,
  key: Buffer,
): JsonResponse<WebhookWithSecretDto> {
  return JsonResponse.of(Object.assign(data, { secret: printedSecret(key) }), etag);
}

export function statusOf({
  enabled,
  consecutiveFailures,
}: Pick<WebhookRecord, 'enabled' | 'consecutiveFailures'>): WebhookStatus {
  if (!enabled) return 'disabled';
  return consecutiveFailures > 0 ? 'failing' : 'active';
}

const timeOf = (date: Date | null): string | null => date?.toISOString() ?? null;

function toDto(webhook: WebhookRecord, filter: FilterJson | null): WebhookDto {
  return {
    id: webhook.id,
    workspaceId: webhook.workspaceId,
    url: webhook.url,
    description: webhook.description,
    events: webhook.events,
    datagridIds: webhook.datagridIds,
    filter,
    payload: webhook.payload,
    enabled: webhook.enabled,
    status: statusOf(webhook),
    disabledReason: webhook.disabledReason,
    lastSuccessAt: timeOf(webhook.lastSuccessAt),
    lastErrorAt: timeOf(webhook.lastErrorAt),
    lastError: webhook.lastError,
    consecutiveFailures: webhook.consecutiveFailures,
    oldestUndeliveredAt: timeOf(webhook.oldestUndeliveredAt),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}
