import { Get, Post } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { Page } from '../common/envelope/page';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, PublicApiController, RequirePermission } from '../platform/http/access';
import { ApiErrors, ApiOneResponse, ApiPageResponse } from '../platform/http/api-responses';
import { EnterGateInService } from '../platform/http/database-permit';
import { JsonBody } from '../platform/http/json-body';
import { WebhookId, WorkspaceId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { IgnoreIdempotencyKey } from '../platform/idempotency/claim';
import { DeliveryDto, ReplayDto, ReplayResultDto } from './dto/delivery.dto';
import { WebhookDeliveryService } from './webhook-delivery.service';

@PublicApiController('workspaces/:workspaceId/webhooks/:webhookId')
export class WebhookDeliveryController {
  constructor(private readonly deliveries: WebhookDeliveryService) {}

  /**
   * List deliveries
   *
   * @remarks Returns one page of the attempts to deliver events, newest first. By default, they are
   * kept for 7 days, and at most 10,000 of them.
   */
  @Get('deliveries')
  @RequirePermission('webhooks:read')
  @ApiPageResponse(DeliveryDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
    @Paging() page: PageRequest,
  ): Promise<Page<DeliveryDto>> {
    return this.deliveries.list({ accountId, workspaceId, id }, page);
  }

  /**
   * Send a test event
   *
   * @remarks Sends an event of the type `webhook.test` at once, also if the webhook is disabled, and
   * returns the attempt. It is not retried, and an `Idempotency-Key` has no effect.
   */
  @Post('test')
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
   * contain the rows as they are now. Use it after an outage of the endpoint.
   */
  @Post('replay')
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
