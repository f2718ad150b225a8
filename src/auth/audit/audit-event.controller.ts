import { Get } from '@nestjs/common';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { CurrentCaller, RequirePermission } from '../../platform/http/access';
import { ApiCursorResponse, ApiErrors } from '../../platform/http/api-responses';
import { FeedMetaDto } from '../../platform/http/dto/page-meta.dto';
import { OwnParameters } from '../../platform/http/query';
import { PublicApiController } from '../../platform/routes/api-controller';
import { AuditEventDto } from './audit-event.dto';
import { AuditEventService } from './audit-event.service';
import { AUDIT_FEED_PARAMETERS, AUDIT_LIST_PARAMETERS } from './audit-request';

/** The audit log of the account, for its owners. */
@PublicApiController('audit-events')
export class AuditEventController {
  constructor(private readonly events: AuditEventService) {}

  /**
   * List audit events
   *
   * @remarks Returns one page of the actions in the account, newest first. Events are kept for 365 days
   * by default.
   */
  @Get()
  @RequirePermission('audit:read')
  @ApiCursorResponse(AuditEventDto)
  list(
    @CurrentCaller() { accountId }: Caller,
    @OwnParameters(...AUDIT_LIST_PARAMETERS) query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.events.list(accountId, query);
  }

  /**
   * List the feed of audit events
   *
   * @remarks Returns each audit event once. Events that are committed after you read come after those that
   * you have read. Continue with `meta.nextCursor` of each response. `meta.upToDate` is true if you have read
   * everything. If events after the cursor may no longer be available, the request returns 410: start over
   * without a cursor.
   */
  @Get('feed')
  @RequirePermission('audit:read')
  @ApiCursorResponse(AuditEventDto, FeedMetaDto)
  @ApiErrors('cursor_expired')
  feed(
    @CurrentCaller() { accountId }: Caller,
    @OwnParameters(...AUDIT_FEED_PARAMETERS) query: Record<string, unknown>,
  ): Promise<JsonResponse> {
    return this.events.feed(accountId, query);
  }
}
