import { text } from '../text/text';
import { ApiError, type ErrorDetail } from './api-error';

/** A column of the result of a statement. */
export interface SqlColumn {
  readonly name: string;
  /** Type of DuckDB, such as `BIGINT`. */
  readonly type: string;
}

export interface PageMeta {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  /** Set for a list read by cursor, whose only other property is `pageSize`. */
  readonly nextCursor?: string | null;
  /** Set for a feed: whether it has no more pages. */
  readonly upToDate?: boolean;
  /** Linked rows, if the request asked for them with `expand`. */
  readonly linked?: unknown;
  /** Set for the result of a statement: its columns, and whether it has more rows. */
  readonly columns?: readonly SqlColumn[];
  readonly truncated?: boolean;
}

export interface ApiResponse<T> {
  /** `undefined` for 204. */
  readonly data: T;
  /** Set for a list only. */
  readonly meta: PageMeta | undefined;
  /** Strong validator, quotes included, for `If-Match`. */
  readonly etag: string | undefined;
  readonly status: number;
  readonly headers: Headers;
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly details?: readonly ErrorDetail[];
    readonly requestId?: string;
  };
}

/**
 * Reads the envelope of a response.
 * @throws ApiError for status 400 and above, or if the response is not from the service.
 */
export async function readResponse<T>(response: Response): Promise<ApiResponse<T>> {
  if (!response.ok) throw await readError(response);
  const { status, headers } = response;
  const body =
    status === 204 ? undefined : ((await parsed(response)) as { data: T; meta?: PageMeta });
  return {
    data: body?.data as T,
    meta: body?.meta,
    etag: headers.get('ETag') ?? undefined,
    status,
    headers,
  };
}

/** Returns the error of a response with status 400 or above. */
export async function readError(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const { error } = ((await parsed(response)) ?? {}) as ErrorBody;
  const retryAfter = Number(headers.get('Retry-After'));
  return new ApiError(
    status,
    error?.code ?? (status >= 500 ? 'unavailable' : 'internal'),
    error?.message ?? (status >= 500 ? text.server.unavailable : text.server.returned(status)),
    error?.details,
    error?.requestId ?? headers.get('X-Request-Id') ?? undefined,
    retryAfter > 0 ? retryAfter : undefined,
  );
}

/** Parses a JSON body. Other types may come from a proxy. */
async function parsed(response: Response): Promise<unknown> {
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  if (isJson) return response.json();
  if (response.ok) throw new ApiError(502, 'unavailable', text.server.unavailable);
  return undefined;
}
