import { Injectable } from '@nestjs/common';
import { JsonResponse } from '../../common/envelope/json-response';
import { auditFeedRequest, auditListRequest, encodePlace } from './audit-request';
import { auditEventView, AuditService } from './audit.service';

type Query = Readonly<Record<string, unknown>>;

/** Audit events as the API returns them. */
@Injectable()
export class AuditEventService {
  constructor(private readonly audit: AuditService) {}

  /** Returns a page, newest first. @throws AppError `invalid_request` */
  async list(accountId: string, query: Query): Promise<JsonResponse> {
    const { cursor, limit } = auditListRequest(query);
    const { events, nextCursor } = await this.audit.list(accountId, cursor, limit);
    const json = JSON.stringify(events.map(auditEventView));
    return JsonResponse.cursorPage(json, events.length, nextCursor);
  }

  /** Returns a page of the feed. @throws AppError `invalid_request`, `cursor_expired` */
  async feed(accountId: string, query: Query): Promise<JsonResponse> {
    const { after, limit } = auditFeedRequest(query);
    const { events, last, isLast } = await this.audit.feed(accountId, after, limit);
    const nextCursor = encodePlace(last);
    const meta = { pageSize: events.length, nextCursor, upToDate: isLast, hasMore: !isLast };
    return JsonResponse.printed(JSON.stringify(events.map(auditEventView)), { meta });
  }
}
