import { Agent, type Dispatcher, errors, request } from 'undici';
import { type AddressPolicy, ForbiddenAddressError } from './address-policy';
import { checkedConnector, ResponseTooLargeError } from './checked-connector';
import { hostResolver, type Resolver } from './host-resolver';

/** Bytes of a response that are read. The connection of a longer one is closed. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Bytes of a response that are kept. */
const KEPT_BYTES = 1_024;
/** Time for the body of a response after its headers. The status is all that matters. */
const BODY_TIMEOUT_MS = 2_000;

export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a request to an endpoint of a user. It is never thrown. */
export interface OutboundResult {
  /** Status of the response; `null` if there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Beginning of the response's body; empty if there is none. */
  readonly response: string;
  /** Message for the owner of the endpoint; `null` if there is a response. */
  readonly error: string | null;
  /** `Retry-After` of the response in milliseconds, if it is valid. */
  readonly retryAfterMs: number | null;
}

export interface OutboundOptions {
  readonly policy: AddressPolicy;
  /** Maximum time of a whole request. */
  readonly timeoutMs: number;
  /** Replaces DNS in tests. */
  readonly resolve?: Resolver;
  /** Certificates of the authorities that are trusted. Default: those of Node.js. */
  readonly ca?: string;
}

/**
 * Sends requests to URLs that users chose. It connects only to addresses that the policy accepts,
 * follows no redirects, uses no proxy, ends after `timeoutMs` in total, and reads at most 64 KiB of a
 * response. Plain HTTP is possible only to addresses that the operator allows.
 */
export class OutboundClient {
  private readonly agent: Agent;

  constructor(private readonly options: OutboundOptions) {
    const { policy, resolve = hostResolver() } = options;
    // The number of connections is not limited, because accounts share the origins of popular hosts.
    // Callers limit the requests of each account.
    this.agent = new Agent({
      connect: checkedConnector(policy, { ...options, resolve }),
      connections: null,
      pipelining: 1,
    });
  }

  /** Sends a POST request. A failure is a result, not an error. */
  async post({ url, headers, body }: OutboundRequest): Promise<OutboundResult> {
    const startedAtMs = performance.now();
    const { timeoutMs } = this.options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(url, {
        method: 'POST',
        dispatcher: this.agent,
        headers,
        body,
        signal: timeout,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const text = await beginningOf(response.body);
      return {
        status: response.statusCode,
        durationMs: performance.now() - startedAtMs,
        response: text,
        error: null,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      };
    } catch (error) {
      return {
        status: null,
        durationMs: performance.now() - startedAtMs,
        response: '',
        error: timeout.aborted ? timedOut(timeoutMs) : describeError(error),
        retryAfterMs: null,
      };
    }
  }

  /** Closes all connections. Requests in progress fail. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Reads a body until its end, a limit or a failure, and returns its beginning. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS);
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The response has a status, whatever happens to its body.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  // A character may be cut at the end. PostgreSQL stores no NUL.
  return Buffer.concat(kept).toString('utf8').replace(/�$/, '').replaceAll('\0', '�');
}

const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  const isSeconds = /^\d{1,9}$/.test(header);
  const ms = isSeconds ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

const timedOut = (timeoutMs: number): string =>
  `The endpoint did not respond within ${String(timeoutMs / 1_000)} seconds.`;

const UNRESOLVED = 'The host name does not resolve.';

/** Messages by error code. */
const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response.',
  UND_ERR_SOCKET: 'The connection was closed before the response.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  ETIMEDOUT: 'The connection timed out.',
  EHOSTUNREACH: 'The host is not reachable.',
  ENETUNREACH: 'The network is not reachable.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too large.',
};

/** Describes a failed request for the owner of the endpoint, without addresses or internals. */
function describeError(error: unknown): string {
  if (error instanceof ForbiddenAddressError || error instanceof ResponseTooLargeError) {
    return error.message;
  }
  const [cause] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = '', syscall = '' } = cause as { code?: string; syscall?: string };
  if (syscall.startsWith('query')) return UNRESOLVED;
  const known = MESSAGES[code];
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `TLS failed (${code}). The endpoint needs a certificate of a public authority.`;
  }
  if (error instanceof errors.HTTPParserError) return 'The response is not valid HTTP.';
  return 'The request failed.';
}
