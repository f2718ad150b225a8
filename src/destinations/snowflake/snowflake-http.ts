import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import type { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector, ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import type { Resolver } from '../../platform/outbound/host-resolver';
import { HttpStatusError, notSnowflake } from './snowflake-error';
import { checkedBody, checkedChunk, type ResponseLimits } from './snowflake-response';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const CONNECT_TIMEOUT_MS = 10_000;
/** The server answers at least this often while a statement runs. */
const RESPONSE_TIMEOUT_MS = 120_000;
/** Size from which requests are compressed. */
const COMPRESSED_BYTES = 1024;

/** The driver reports its use there. Nothing is sent. */
const TELEMETRY_PATH = '/telemetry/send';
const NOTHING = { success: true, code: null, message: null, data: {} };

/** What the driver asks of its HTTP client. */
interface DriverRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly callback: (error: null, response: DriverResponse, body: unknown) => unknown;
}

interface DriverResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, never>>;
  readonly body: unknown;
  getResponseHeader(): undefined;
}

/** How to reach an account. */
export interface SnowflakeHttpOptions {
  readonly url: URL;
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
}

/**
 * The HTTP client that the driver of Snowflake uses instead of its own. Sockets are checked against
 * the policy. Redirects, proxies, OCSP requests and credentials of the machine do not exist. What
 * comes back is checked and bounded before the driver sees it.
 *
 * The first failure ends the session: the driver gets a response that it does not repeat, and
 * `failure` has the reason.
 */
export class SnowflakeHttp {
  /** What the next responses may have. */
  limit: ResponseLimits = { columns: 0, rows: 0, bytes: 0 };
  private failed: Error | undefined;
  private readonly agent: Agent;
  private readonly ended = new AbortController();

  constructor(private readonly options: SnowflakeHttpOptions) {
    const { policy, resolve } = options;
    this.agent = new Agent({
      connect: checkedConnector(policy, {
        timeoutMs: CONNECT_TIMEOUT_MS,
        resolve,
        maxResponseBytes: Number.MAX_SAFE_INTEGER,
      }),
      pipelining: 1,
    });
  }

  /** Why the session cannot go on; `undefined` if it can. */
  get failure(): Error | undefined {
    return this.failed;
  }

  /** Sends a request of the driver. Calls back in any case, and never with an error. */
  request({ method, url, headers, params, json, callback }: DriverRequest): { abort(): void } {
    this.exchange(method, new URL(url), headers ?? {}, params ?? {}, json)
      .catch((error: unknown) => {
        this.failed ??= error as Error;
        return FAILED;
      })
      .then(async (body) => {
        await callback(null, responseOf(body), body);
      })
      .catch((error: unknown) => {
        // The driver does not know what to do with a response.
        this.fail(notSnowflake(200, error));
      });
    return {
      abort: () => {
        this.fail(new Error('Aborted.'));
      },
    };
  }

  /** The methods of the driver's client that it uses for other ways to authenticate, and for files. */
  requestAsync(): Promise<never> {
    return Promise.reject(new Error('Not available.'));
  }

  /** Ends the session. Requests in progress fail. */
  fail(error: Error): void {
    this.failed ??= error;
    this.ended.abort();
    this.onFailure();
  }

  /** Is called if the session ends while the driver waits. */
  onFailure: () => void = () => undefined;

  /** Closes all connections. */
  async close(): Promise<void> {
    this.failed ??= new Error('Closed.');
    this.ended.abort();
    await this.agent.destroy();
  }

  private async exchange(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    params: Readonly<Record<string, string>>,
    json: unknown,
  ): Promise<unknown> {
    if (this.failed) throw this.failed;
    if (url.pathname === TELEMETRY_PATH) return NOTHING;
    // Parts of large results are files of a cloud storage.
    const isPart = url.origin !== this.options.url.origin;
    if (isPart && method !== 'GET') throw notSnowflake(200);
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    const text = json === undefined ? null : Buffer.from(JSON.stringify(json));
    const isLarge = text !== null && text.length >= COMPRESSED_BYTES;
    const { bytes } = this.limit;
    const response = await request(url, {
      method: method,
      dispatcher: this.agent,
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        ...(text && { 'content-type': 'application/json' }),
        ...(isLarge && { 'content-encoding': 'gzip' }),
      },
      body: isLarge ? await compress(text) : text,
      signal: this.ended.signal,
      headersTimeout: RESPONSE_TIMEOUT_MS,
      bodyTimeout: RESPONSE_TIMEOUT_MS,
    });
    const body = await readBody(response, bytes);
    if (response.statusCode !== 200) throw new HttpStatusError(response.statusCode);
    return isPart ? checkedChunk(body, this.limit) : checkedBody(url.pathname, body, this.limit);
  }
}

/** The driver reports it, and does not repeat the request. */
const FAILED = { success: false, code: null, message: '', data: {} };

function responseOf(body: unknown): DriverResponse {
  return { statusCode: 200, headers: {}, body, getResponseHeader: () => undefined };
}

/** @throws ResponseTooLargeError */
async function readBody(
  { headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new ResponseTooLargeError();
    parts.push(part);
  }
  const raw = Buffer.concat(parts);
  if (headers['content-encoding'] !== 'gzip') return raw.toString('utf8');
  return (await decompress(raw, { maxOutputLength: maxBytes })).toString('utf8');
}
