import { needsProof, requestProof } from './proof-request';
import { text } from '../text/text';
import { ApiError, isApiError } from './api-error';
import { readResponse, readError, type ApiResponse } from './api-response';
import { csrfToken, isRenewedBy, isReplacedBy, keepCsrfToken } from './csrf';
import { emitApiEvent } from './events';
import type { Session } from './types';

/** Base path of the console API. `data/…` below it is the public API, with the session. */
export const CONSOLE_API = '/console/api';

const TIMEOUT_MS = 30_000;

/** Number of waits for one request after a response that there were too many. */
const MAX_WAITS = 5;
/** A longer wait is left to the user, who sees how long it is. */
const MAX_WAIT_SECONDS = 60;

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A file, sent unchanged with `contentType`. */
  readonly rawBody?: BodyInit;
  readonly contentType?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Strong ETag, including its quotes. */
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** For a sign-in: 401 and 403 concern this request and do not end the session. */
  readonly isSessionQuiet?: boolean;
  /** `null` for no timeout, as for uploads and downloads. */
  readonly timeoutMs?: number | null;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Sends one request and reads the envelope.
 *
 * @param path Under `/console/api`, such as `/keys` or `/data/workspaces`.
 * @throws ApiError Also if there is no response (`unreachable`). An abort by `signal` stays a DOMException.
 */
export async function request<T>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<ApiResponse<T>> {
  return readResponse<T>(await send(method, path, options));
}

/** Sends one request and returns the response without reading its body, as for an export. */
export async function send(
  method: Method,
  path: string,
  options: RequestOptions = {},
  waits = 0,
): Promise<Response> {
  const response = await reach(method, path, options);
  if (response.ok) {
    emitApiEvent({ kind: 'reached' });
    return response;
  }
  const error = await readError(response);
  if (needsProof(error) && (await requestProof())) return send(method, path, options, waits);
  if (await isRetryable(error, method, options, waits))
    return send(method, path, options, waits + 1);
  throw error;
}

/**
 * Reports a failed request to the listeners. If there were too many requests, waits as long as the
 * server says: nothing was done, so any request can be sent again.
 *
 * @param waits Number of earlier attempts of the same request.
 * @returns true if the same request may succeed now, after the wait or with the token of a newer session.
 */
export async function isRetryable(
  error: ApiError,
  method: Method,
  options: Pick<RequestOptions, 'isSessionQuiet' | 'signal'> = {},
  waits = 0,
): Promise<boolean> {
  report(error, options);
  const { status, retryAfterSeconds = Infinity } = error;
  const isLimited = status === 429 && options.isSessionQuiet !== true;
  if (isLimited && waits < MAX_WAITS && retryAfterSeconds <= MAX_WAIT_SECONDS) {
    await sleep(retryAfterSeconds * 1_000, options.signal);
    return true;
  }
  // Without a token, nobody is signed in.
  const isStale = method !== 'GET' && error.code === 'forbidden' && csrfToken() !== undefined;
  return isStale && (await hasNewToken());
}

/**
 * Updates the CSRF token, which changes for all tabs if the user signs in again in another tab.
 * @returns true if the token has changed.
 */
async function hasNewToken(): Promise<boolean> {
  const session = (await request<Session>('GET', '/session')).data;
  if (isReplacedBy(session)) emitApiEvent({ kind: 'session-replaced', session });
  if (!isRenewedBy(session)) return false;
  keepCsrfToken(session);
  return true;
}

/** Returns the URL of a request, for links and custom requests. */
export function urlOf(path: string, query: RequestOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const parameters = search.toString();
  return `${CONSOLE_API}${path}${parameters ? `?${parameters}` : ''}`;
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
    const error = new ApiError(0, 'unreachable', text.server.unreachable);
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

/** Emits the event of a failed request. */
function report(
  error: ApiError,
  { isSessionQuiet = false }: Pick<RequestOptions, 'isSessionQuiet'>,
): void {
  if (error.isOutage) emitApiEvent({ kind: 'outage', error });
  else emitApiEvent({ kind: 'reached' });
  if (isSessionQuiet) return;
  if (isApiError(error, 'unauthenticated')) emitApiEvent({ kind: 'session-ended', error });
  if (isApiError(error, 'forbidden')) emitApiEvent({ kind: 'forbidden' });
  if (isApiError(error, 'account_suspended')) emitApiEvent({ kind: 'suspended', error });
}

/** @throws the reason of the abort. */
async function sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
