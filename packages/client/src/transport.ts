import { ApiError, apiErrorOf, ConnectionError, UNEXPECTED_RESPONSE } from './error.ts';
import { type RetryPolicy, withRetries } from './retry.ts';

const API = '/api/v1/public';
const DEFAULT_ATTEMPTS = 7;
const DEFAULT_TIMEOUT_MS = 60_000;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions extends Partial<RetryPolicy> {
  /** URL of the service, such as `https://data.example.com`. A path is ignored. */
  readonly baseUrl: string;
  /** API key, which begins with `mk_`. */
  readonly apiKey: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Time limit of an attempt in milliseconds, from the request to the last byte of the response; 60,000
   * by default. Does not apply to imports, exports, and `rows` and `file` of SQL.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Returns the W3C `traceparent` of the current span, such as
   * `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Called for each attempt.
   */
  readonly traceparent?: (() => string | undefined) | undefined;
}

/** Options of each call. */
export interface CallOptions {
  /** Ends the call, its retries and its waits. */
  readonly signal?: AbortSignal | undefined;
  /** Key of a write; a new UUID by default. All attempts of a call send the same key. */
  readonly idempotencyKey?: string | undefined;
  /** Maximum number of attempts, in place of that of the client. */
  readonly maxAttempts?: number | undefined;
}

export type QueryValue = string | number | boolean | readonly string[] | object | undefined | null;
export type Query = Readonly<Record<string, QueryValue>>;

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path after `/api/v1/public`, or a path that begins with it, such as that of `Location`. */
  readonly path: string;
  /** Lists are joined with commas, and other objects are sent as JSON. */
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** JSON text that is sent as it is, in place of `body`. */
  readonly bodyText?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit of an attempt in milliseconds, in place of that of the client. */
  readonly timeoutMs?: number | undefined;
}

/** A call with a body of another type. */
export interface RawCall extends Omit<Call, 'body' | 'bodyText' | 'timeoutMs'> {
  /** Opens the body. Called for each attempt. */
  readonly openBody?: (() => string | Blob | ReadableStream<Uint8Array>) | undefined;
  /** Returns whether the body can be opened again. */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** `null` if there is no time limit. */
  readonly timeoutMs?: number | null | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it was sent; empty if there is none. */
  readonly text: string;
}

/** Sends requests, with the key of the client, and retries them. */
export class Transport {
  readonly policy: RetryPolicy;
  readonly origin: string;
  private readonly fetch: Fetch;

  constructor(private readonly options: ClientOptions) {
    this.origin = new URL(options.baseUrl).origin;
    const { maxAttempts = DEFAULT_ATTEMPTS, onRetry } = options;
    this.policy = { maxAttempts, onRetry };
    // Some runtimes require that `fetch` is called without another `this`.
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  /** Returns `data` of the response. */
  async data<T>(call: Call): Promise<T> {
    return (await this.body<{ readonly data: T }>(call)).data;
  }

  /** Returns the response as JSON. */
  async body<T>(call: Call): Promise<T> {
    const { status, headers, text } = await this.request(call);
    try {
      return JSON.parse(text) as T;
    } catch {
      const requestId = headers.get('x-request-id');
      const message = 'The response is not JSON.';
      throw new ApiError({ status, code: UNEXPECTED_RESPONSE, message, requestId });
    }
  }

  /** Returns the response with its whole body. */
  request({ body, bodyText, headers, ...call }: Call): Promise<ApiResponse> {
    const text = bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
    if (text === undefined) return this.send({ ...call, headers }, whole);
    const asJson = { 'content-type': 'application/json', ...headers };
    return this.send({ ...call, headers: asJson, openBody: () => text }, whole);
  }

  /**
   * Sends a request, with retries.
   * @param read Reads the response. A failure to read is retried as well.
   * @throws ApiError, ConnectionError, or the reason of the call's signal.
   */
  send<T>(call: RawCall, read: (response: Response) => Promise<T>): Promise<T> {
    const { maxAttempts = this.policy.maxAttempts, signal, mayRepeat } = call;
    const { onRetry } = this.policy;
    const headers = this.headersOf(call);
    const url = this.urlOf(call);
    const work = (): Promise<T> => this.attempt(url, headers, call, read);
    return withRetries(work, { maxAttempts, onRetry, signal, mayRepeat });
  }

  private async attempt<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    { method, signal, openBody, timeoutMs = this.options.timeoutMs }: RawCall,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    // A stream outlives the attempt, so the signal of the call itself ends it.
    const limit =
      timeoutMs === null ? null : new TimeLimit(timeoutMs ?? DEFAULT_TIMEOUT_MS, signal);
    const body = openBody?.();
    const traceparent = this.options.traceparent?.();
    const init = {
      method,
      headers: traceparent === undefined ? headers : { ...headers, traceparent },
      signal: limit?.signal ?? signal ?? null,
      // A redirected POST would become a GET.
      redirect: 'manual' as const,
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
    };
    let failed = `The connection to ${this.origin} failed`;
    try {
      const response = await this.fetch(url, init);
      if (!response.ok) throw await apiErrorOf(response);
      failed = 'The response ended early';
      return await read(response);
    } catch (error) {
      if (error instanceof ApiError || signal?.aborted === true) throw error;
      const reason = limit?.isExceeded === true ? 'timed out' : reasonOf(error);
      throw new ConnectionError(`${failed}: ${reason}.`, { cause: error });
    } finally {
      limit?.end();
    }
  }

  /** The headers of all attempts of a call, with the same key. */
  private headersOf({ method, headers, idempotencyKey }: RawCall): Record<string, string> {
    return {
      ...headers,
      authorization: `Bearer ${this.options.apiKey}`,
      ...(method !== 'GET' && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
    };
  }

  private urlOf({ path, query = {} }: RawCall): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) parameters.set(name, textOf(value));
    }
    const absolute = path.startsWith(`${API}/`) ? path : `${API}${path}`;
    const text = parameters.toString();
    return `${this.origin}${absolute}${text === '' ? '' : `?${text}`}`;
  }
}

function textOf(value: NonNullable<QueryValue>): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function whole(response: Response): Promise<ApiResponse> {
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

/** Returns the reason of a failed `fetch`, which Node.js and others put into `cause`. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { message = '', code } = (cause ?? error) as { message?: string; code?: string };
  // If several addresses were tried, Node.js reports one error with an empty message.
  return (message === '' ? (code ?? 'unknown') : message).replace(/\.$/, '');
}

/** Aborts an attempt on its time limit, or when the signal of the call is aborted. */
class TimeLimit {
  isExceeded = false;
  private readonly controller = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly abort: () => void;

  constructor(
    ms: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.abort = () => {
      this.controller.abort(outer?.reason);
    };
    outer?.addEventListener('abort', this.abort);
    if (outer?.aborted === true) this.abort();
    this.timer = setTimeout(() => {
      this.isExceeded = true;
      this.controller.abort();
    }, ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.abort);
  }
}
