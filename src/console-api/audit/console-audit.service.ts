import { Injectable } from '@nestjs/common';
import { auditEventView, AuditService } from '../../auth/audit/audit.service';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { invalidRequest } from '../../common/error/app-error';
import { isStart, parsePageRequest } from '../../common/paging/page-request';
import { isUuid } from '../../common/text/id';

/** The audit log of an account, for its owners. */
@Injectable()
export class ConsoleAuditService {
  constructor(private readonly audit: AuditService) {}

  /**
   * Returns a page of events, newest first.
   * @param query `limit`, 1 to 200, 20 by default; `cursor`, the `nextCursor` of the previous page.
   * @throws AppError `invalid_request`
   */
  async list(
    { accountId }: Caller,
    query: Readonly<Record<string, unknown>>,
  ): Promise<JsonResponse> {
    const paging = parsePageRequest({ limit: query['limit'] });
    if (!paging.ok) throw invalidRequest(paging.errors);
    const cursor = readCursor(query['cursor']);
    const { events, nextCursor } = await this.audit.list(accountId, cursor, paging.value.limit);
    const meta = { pageSize: events.length, nextCursor };
    return JsonResponse.bare(JSON.stringify({ data: events.map(auditEventView), meta }));
  }
}

function readCursor(text: unknown): string | null {
  if (text === undefined || (typeof text === 'string' && isStart(text))) return null;
  if (typeof text === 'string' && isUuid(text)) return text;
  const message = 'is not a valid cursor';
  throw invalidRequest([{ field: 'cursor', code: 'invalid_format', message }]);
}
