import { Get } from '@nestjs/common';
import type { Caller } from '../common/caller/app-request';
import type { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { CurrentCaller, RequirePermission } from '../platform/http/access';
import { PublicApiController } from '../platform/routes/api-controller';
import { ApiErrors, ApiPageResponse } from '../platform/http/api-responses';
import { WebhookId, WorkspaceId } from '../platform/http/path-id';
import { Paging } from '../platform/http/query';
import { DeliveryDto } from './dto/delivery.dto';
import { WebhookDeliveryService } from './webhook-delivery.service';

@PublicApiController('workspaces/:workspaceId/webhooks/:webhookId/deliveries')
export class DeliveryController {
  constructor(private readonly deliveries: WebhookDeliveryService) {}

  /**
   * List deliveries
   *
   * @remarks Returns one page of the attempts to deliver events, newest first. By default, they are
   * kept for 7 days, and at most 10,000 of them.
   */
  @Get()
  @RequirePermission('webhooks:read')
  @ApiPageResponse(DeliveryDto)
  @ApiErrors('not_found')
  list(
    @CurrentCaller() { accountId }: Caller,
    @WorkspaceId() workspaceId: string,
    @WebhookId() id: string,
    @Paging() page: PageRequest,
  ): Promise<JsonResponse<DeliveryDto[]>> {
    return this.deliveries.list({ accountId, workspaceId, id }, page);
  }
}
