import { ApiError, isApiError } from './api-error';
import { readAnswer, readError, type Answer } from './answer';
import { csrfToken, isRenewedBy, isReplacedBy, keepCsrfToken } from './csrf';
import { emitApiEvent } from './events';
import type { Session } from './types';

/** Where the console's own calls live. `data/…` under it is the public API with the session. */
export const CONSOLE_API = '/console/api';

const TIMEOUT_MS = 30_000;

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with `contentType`: a file. */
  readonly rawBody?: BodyInit;
  readonly contentType?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** A strong validator, quotes included. */
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** 401 and 403 are answers to this call, not news of the session: a sign-in. */
  readonly isSessionQuiet?: boolean;
  /** `null` waits for ever: long uploads and downloads. */
  readonly timeoutMs?: number | null;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Sends one call and reads the envelope.
 *
 * @param path Under `/console/api`, such as `/keys` or `/data/workspaces`.
 * @throws ApiError Also where no answer came (`unreachable`). An abort by `signal` stays a DOMException.
 */
export async function request<T>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<T>> {
  return readAnswer<T>(await send(method, path, options));
}

/** As `request`, for a body that is no envelope: an export. */
export async function send(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const response = await reach(method, path, options);
  if (response.ok) {
    emitApiEvent({ kind: 'reached' });
    return response;
  }
  const error = await readError(response);
  if (await isMendedAfter(error, method, options)) return send(method, path, options);
  throw error;
}

/**
 * Tells of a call that failed.
 *
 * @returns Whether the same call may succeed now, with the token of a newer session.
 */
export async function isMendedAfter(
  error: ApiError,
  method: Method,
  options: Pick<RequestOptions, 'isSessionQuiet'> = {},
): Promise<boolean> {
  report(error, options);
  return method !== 'GET' && error.code === 'forbidden' && (await hasNewToken());
}

/** Somebody who signs in in another tab has another token in this one too, from then on. */
async function hasNewToken(): Promise<boolean> {
  const session = (await request<Session>('GET', '/session')).data;
  if (isReplacedBy(session)) emitApiEvent({ kind: 'session-replaced', session });
  if (!isRenewedBy(session)) return false;
  keepCsrfToken(session);
  return true;
}

/** The address of a call, for links and for requests of one's own. */
export function urlOf(path: string, query: RequestOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return `${CONSOLE_API}${path}${text ? `?${text}` : ''}`;
}

async function reach(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { signal, timeoutMs = TIMEOUT_MS } = options;
  const signals = [signal, timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs)];
  try {
    return await fetch(urlOf(path, options.query), {
      method,
      headers: headersOf(method, options),
      body: options.rawBody ?? (options.body === undefined ? null : JSON.stringify(options.body)),
      credentials: 'same-origin',
      signal: AbortSignal.any(signals.filter((one) => one !== undefined)),
    });
  } catch (failure) {
    if (signal?.aborted) throw failure;
    const error = new ApiError(0, 'unreachable', 'The server cannot be reached.');
    report(error, options);
    throw error;
  }
}

function headersOf(method: Method, options: RequestOptions): Headers {
  const headers = new Headers({ Accept: 'application/json', ...options.headers });
  if (options.contentType !== undefined) headers.set('Content-Type', options.contentType);
  else if (options.body !== undefined) headers.set('Content-Type', 'application/json');
  if (options.ifMatch !== undefined) headers.set('If-Match', options.ifMatch);
  if (options.idempotencyKey !== undefined) headers.set('Idempotency-Key', options.idempotencyKey);
  const token = csrfToken();
  if (method !== 'GET' && token !== undefined) headers.set('X-CSRF-Token', token);
  return headers;
}

/** Tells those who watch over the session and the connection. */
function report(
  error: ApiError,
  { isSessionQuiet = false }: Pick<RequestOptions, 'isSessionQuiet'>,
): void {
  if (error.isOutage) emitApiEvent({ kind: 'outage', error });
  else emitApiEvent({ kind: 'reached' });
  if (isSessionQuiet) return;
  if (isApiError(error, 'unauthenticated')) emitApiEvent({ kind: 'session-ended', error });
  if (isApiError(error, 'account_suspended')) emitApiEvent({ kind: 'suspended', error });
}
