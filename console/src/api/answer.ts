import { ApiError, type ErrorDetail } from './api-error';

export interface PageMeta {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  /** Of a list that goes on by a cursor, which has none of the other members but `pageSize`. */
  readonly nextCursor?: string | null;
}

export interface Answer<T> {
  /** `undefined` for 204. */
  readonly data: T;
  /** Of a list only. */
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

const AWAY = 'The server is unavailable. Try again later.';

/** @throws ApiError for 400 and up, and for what is no answer of the service. */
export async function readAnswer<T>(response: Response): Promise<Answer<T>> {
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

/** The failure that a response of 400 and up stands for. */
export async function readError(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const { error } = ((await parsed(response)) ?? {}) as ErrorBody;
  const retryAfter = Number(headers.get('Retry-After'));
  return new ApiError(
    status,
    error?.code ?? (status >= 500 ? 'unavailable' : 'internal'),
    error?.message ?? (status >= 500 ? AWAY : `The server answered ${status}.`),
    error?.details,
    error?.requestId ?? headers.get('X-Request-Id') ?? undefined,
    retryAfter > 0 ? retryAfter : undefined,
  );
}

/** A proxy in between may answer with a page of its own. */
async function parsed(response: Response): Promise<unknown> {
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  if (isJson) return response.json();
  if (response.ok) throw new ApiError(502, 'unavailable', AWAY);
  return undefined;
}
