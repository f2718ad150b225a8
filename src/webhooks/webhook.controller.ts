import { Delete, Get, Patch, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { IfMatch } from '../common/conditional/if-match';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, IfMatchHeader, RequirePermission } from '../platform/http/access';
import { EnterGateInService, PublicApiController } from '../platform/routes/api-controller';
import {
  ApiErrors,
  ApiNoContent,
  ApiOneResponse,
  ApiPageResponse,
} from '../platform/http/api-responses';
import { JsonBody } from '../platform/http/json-body';
import { WebhookId, WorkspaceId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { IgnoreIdempotencyKey, SecretInResponse } from '../platform/idempotency/claim';
import { DeliveryDto, ReplayDto, ReplayResultDto } from './dto/delivery.dto';
import {
  CreateWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookWithSecretDto,
} from './dto/webhook.dto';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookService } from './webhook.service';

@PublicApiController('workspaces/:workspaceId/webhooks')
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly deliveries: WebhookDeliveryService,
  ) {}

  /**
   * Create a webhook
   *
   * @remarks Creates a webhook that sends the changes of the workspace's datagrids to a URL, from now
   * on. The response contains the secret that verifies the signatures. It is not returned again.
   */
  @Post()
  @RequirePermission('webhooks:write')
  @SecretInResponse('secret')
  @ApiOneResponse(201, WebhookWithSecretDto)
  @ApiErrors('not_found', 'quota_exceeded', 'query_too_expensive')
  create(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @JsonBody(CreateWebhookDto) body: CreateWebhookDto,
  ): Promise<JsonResponse<WebhookWithSecretDto>> {
    return this.webhooks.create(caller.accountId, workspaceId, body, caller);
  }

  /**
   * List webhooks
   *
   * @remarks Returns one page of the workspace's webhooks, oldest first.
   */
  @Get()
  @RequirePermission('webhooks:read')
  @ApiPageResponse(WebhookDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<WebhookDto[]>> {
    return this.webhooks.list(caller.accountId, workspaceId, page);
  }

  /**
   * Get a webhook
   *
   * @remarks Returns one webhook with its health.
   */
  @Get(':webhookId')
  @RequirePermission('webhooks:read')
  @ApiOneResponse(200, WebhookDto)
  @ApiErrors('not_found')
  get(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
  ): Promise<JsonResponse<WebhookDto>> {
    return this.webhooks.get({ accountId, workspaceId, id });
  }

  /**
   * Update a webhook
   *
   * @remarks Changes the properties that you send and keeps the others. `If-Match` is not affected by
   * changes of the health. With `enabled`, a disabled webhook resumes where it stopped.
   */
  @Patch(':webhookId')
  @RequirePermission('webhooks:write')
  @ApiOneResponse(200, WebhookDto)
  @ApiErrors('not_found', 'quota_exceeded', 'query_too_expensive')
  update(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
    @JsonBody(UpdateWebhookDto) body: UpdateWebhookDto,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<JsonResponse<WebhookDto>> {
    const { accountId } = caller;
    return this.webhooks.update({ accountId, workspaceId, id }, body, ifMatch, caller);
  }

  /**
   * Delete a webhook
   *
   * @remarks Deletes the webhook with its log. Events that wait are not sent.
   */
  @Delete(':webhookId')
  @RequirePermission('webhooks:write')
  @ApiNoContent()
  @ApiErrors('not_found')
  delete(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
    @IfMatchHeader() ifMatch: IfMatch,
  ): Promise<void> {
    return this.webhooks.delete({ accountId: caller.accountId, workspaceId, id }, ifMatch, caller);
  }

  /**
   * Rotate the secret
   *
   * @remarks Returns a new secret. For 24 hours, deliveries have two signatures: one of the new and one
   * of the previous secret.
   */
  @Post(':webhookId/rotate')
  @RequirePermission('webhooks:write')
  @SecretInResponse('secret')
  @ApiOneResponse(200, WebhookWithSecretDto)
  @ApiErrors('not_found')
  rotate(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
  ): Promise<JsonResponse<WebhookWithSecretDto>> {
    return this.webhooks.rotate({ accountId: caller.accountId, workspaceId, id }, caller);
  }

  /**
   * Send a test event
   *
   * @remarks Sends an event of the type `webhook.test` at once, also if the webhook is disabled, and
   * returns the attempt. It is not retried, and an `Idempotency-Key` has no effect.
   */
  @Post(':webhookId/test')
  @RequirePermission('webhooks:write')
  @EnterGateInService()
  @IgnoreIdempotencyKey()
  @ApiOneResponse(200, DeliveryDto)
  @ApiErrors('not_found')
  test(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
  ): Promise<DeliveryDto> {
    return this.deliveries.test({ accountId, workspaceId, id });
  }

  /**
   * Replay events
   *
   * @remarks Sends the changes since a time again. The events are new ones: they have new ids, and
   * contain the rows as they are now. They replace events that wait and have the same changes. Use it
   * after a bug of the endpoint. After an outage, events that wait are retried without it.
   */
  @Post(':webhookId/replay')
  @RequirePermission('webhooks:write')
  @ApiOneResponse(200, ReplayResultDto)
  @ApiErrors('not_found')
  replay(
    @CurrentCaller() caller: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
    @JsonBody(ReplayDto) body: ReplayDto,
  ): Promise<ReplayResultDto> {
    return this.deliveries.replay({ accountId: caller.accountId, workspaceId, id }, body, caller);
  }
}
