import { Injectable } from '@nestjs/common';
import type {
  KeyRequestFilter,
  KeyRequestRecord,
} from '../../auth/key-request/key-request.repository';
import { KeyRequestService } from '../../auth/key-request/key-request.service';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { invalidField, invalidRequest } from '../../common/error/app-error';
import { parsePageRequest } from '../../common/paging/page-request';
import { roleHas } from '../../common/permission/permission';
import { isUuid } from '../../common/text/id';
import { AppConfig } from '../../platform/config/app-config';

type Query = Readonly<Record<string, unknown>>;

const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The requests with API keys. Users see those with their own keys; admins and owners those of the whole
 * account. Only owners see email addresses of other users, as in the list of users.
 */
@Injectable()
export class ConsoleRequestService {
  constructor(
    private readonly config: AppConfig,
    private readonly requests: KeyRequestService,
  ) {}

  /**
   * Returns a page of requests, newest first.
   * @param query `limit`, 1 to 200, 20 by default; `cursor`, the `nextCursor` of the previous page; and
   *   the filters `key` (an id), `status` (a class such as `4xx`) and `method`.
   * @throws AppError `invalid_request`
   */
  async list(caller: Caller, query: Query): Promise<JsonResponse> {
    const paging = parsePageRequest({ limit: query['limit'] });
    if (!paging.ok) throw invalidRequest(paging.errors);
    const cursor = readId(query, 'cursor', 'is not a valid cursor');
    const { limit } = paging.value;
    const filter = readFilter(caller, query);
    const found = await this.requests.list(caller.accountId, filter, cursor, limit);
    const seesEmails = roleHas(caller.role, 'users:read');
    const meta = {
      pageSize: found.requests.length,
      nextCursor: found.nextCursor,
      leftOut: found.leftOut,
      retentionDays: this.config.requestLogRetentionDays,
      maxEntries: this.config.maxRequestLogEntries,
    };
    const data = found.requests.map((record) =>
      requestView(record, seesEmails || record.userId === caller.userId),
    );
    return JsonResponse.bare(JSON.stringify({ data, meta }));
  }
}

function readFilter({ role, userId }: Caller, query: Query): KeyRequestFilter {
  const status = readOneOf(query, 'status', STATUS_CLASSES);
  return {
    userId: roleHas(role, 'requests:read') ? null : userId,
    keyId: readId(query, 'key', 'must be the id of an API key'),
    method: readOneOf(query, 'method', METHODS),
    statusClass: status === null ? null : Number(status.slice(0, 1)),
  };
}

function readId(query: Query, field: string, message: string): string | null {
  const text = query[field];
  if (text === undefined) return null;
  if (typeof text === 'string' && isUuid(text)) return text;
  throw invalidField(field, 'invalid_format', message);
}

function readOneOf(query: Query, field: string, values: readonly string[]): string | null {
  const text = query[field];
  if (text === undefined) return null;
  const found = values.find((value) => value === text);
  if (found === undefined)
    throw invalidField(field, 'invalid_format', `must be one of: ${values.join(', ')}`);
  return found;
}

/** A request as the console shows it. Times are printed as RFC 3339. */
interface KeyRequestView {
  readonly id: string;
  readonly at: Date;
  readonly key: {
    readonly id: string;
    /** `null` if the key has been deleted. */
    readonly name: string | null;
    readonly lastFour: string | null;
    /** Whether it is an application that the user has authorized, with its name. */
    readonly isApplication: boolean;
    /** Email address of its user; `null` if the reader may not see it. */
    readonly email: string | null;
  };
  readonly method: string;
  /** Pattern of the route; `null` if no route matches. */
  readonly route: string | null;
  /** `null` if the connection ended before a response began. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly errorCode: string | null;
  /** Whether the connection ended before the response was sent completely. */
  readonly aborted: boolean;
}

function requestView(record: KeyRequestRecord, showsEmail: boolean): KeyRequestView {
  const { id, at, method, route, status, durationMs, requestId, errorCode, aborted } = record;
  const { keyId, keyName: name, keyLastFour: lastFour, isApplication, email } = record;
  const key = { id: keyId, name, lastFour, isApplication, email: showsEmail ? email : null };
  return { id, at, key, method, route, status, durationMs, requestId, errorCode, aborted };
}
