import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export const API = '/api/v1/public';

const PASSING_STATUSES = new Set([408, 429, 502, 503, 504]);

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Path and query, without the origin. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Readable;
}

interface FailureBody {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly { readonly field: string; readonly message: string }[];
    readonly requestId: string;
  };
}

/** HTTP client of the service. */
export class Service {
  constructor(private readonly settings: ClientSettings) {}

  /**
   * Sends a request once.
   * @returns a successful response, whose body the caller must read.
   * @throws ClientFailure with the code, the message and the request id.
   * @throws TransientError if a retry may succeed.
   */
  async call(call: Call): Promise<IncomingMessage> {
    const response = await this.send(call);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw failureOf(response, await text(response).catch(() => ''));
  }

  private send({ method, path, headers, body }: Call): Promise<IncomingMessage> {
    const { origin, key } = this.settings;
    const request = origin.startsWith('https:') ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const sent = request(`${origin}${path}`, {
        method,
        agent: false,
        // With `Connection: close` the server may close the connection while the body is still
        // being sent, and the response is lost. This client closes the connection after it has read
        // the response.
        headers: { authorization: `Bearer ${key}`, connection: 'keep-alive', ...headers },
      });
      sent.on('response', (response) => {
        // The response may arrive before the body is sent completely. The rest of the body is then
        // not sent.
        body?.unpipe(sent);
        response.once('close', () => sent.destroy());
        resolve(response);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        reject(new TransientError(`The connection to ${origin} failed: ${reasonOf(error)}.`));
      });
      if (!body) {
        sent.end();
        return;
      }
      body.on('error', (error) => {
        reject(new ClientFailure(`Cannot read the file: ${error.message}`));
        sent.destroy();
      });
      body.pipe(sent);
    });
  }
}

/**
 * Returns the reason of a connection failure. If several addresses were tried, Node reports one
 * error with an empty message.
 */
const reasonOf = ({ message, code }: NodeJS.ErrnoException): string =>
  message === '' ? (code ?? 'unknown') : message;

function failureOf({ statusCode = 0, headers }: IncomingMessage, body: string): ClientFailure {
  const { location } = headers;
  const message = messageOf(statusCode, body, location);
  // The failure of an import that has started has a report at `Location`. It is not started again.
  const mayPass = PASSING_STATUSES.has(statusCode) && location === undefined;
  if (!mayPass) return new ClientFailure(message, location);
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return new TransientError(message, Number.isFinite(seconds) ? seconds : undefined);
}

function messageOf(status: number, body: string, location: string | undefined): string {
  const error = parsed(body).error;
  if (!error) return `The service responded with status ${String(status)}.`;
  const details = (error.details ?? []).map(({ field, message }) => `  ${field}: ${message}`);
  const report = location === undefined ? [] : [`  report: ${location}`];
  const head = `${error.code}: ${error.message} (request ${error.requestId})`;
  return [head, ...details, ...report].join('\n');
}

function parsed(body: string): FailureBody {
  try {
    return JSON.parse(body) as FailureBody;
  } catch {
    return {};
  }
}

const MAX_ATTEMPTS = 7;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Runs `work`, and retries it after a TransientError, up to MAX_ATTEMPTS times in all. Waits as
 * long as the service requests, or otherwise doubles the wait from FIRST_WAIT_MS to at most
 * LONGEST_WAIT_MS.
 * @param mayRepeat Whether `work` can be run again. Called after each failure.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  mayRepeat: () => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof TransientError && attempt < MAX_ATTEMPTS;
      if (!mayPass || !mayRepeat()) throw error;
      const waitMs = waitFor(attempt, error);
      const seconds = (waitMs / 1000).toFixed(1);
      process.stderr.write(`${error.message}\nRetrying in ${seconds} s.\n`);
      await delay(waitMs);
    }
  }
}

function waitFor(attempt: number, { retryAfterSeconds }: TransientError): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  // Random jitter, so that clients that fail together do not retry together.
  return longest * (0.5 + Math.random() / 2);
}

/** Address of the service and the API key to send. */
interface ClientSettings {
  /** Scheme, host and port, without a trailing slash. */
  readonly origin: string;
  readonly key: string;
}

/**
 * Reads `DATAGRID_URL`, with or without a path, and `DATAGRID_API_KEY`.
 * @throws WrongUsage if either is missing or invalid.
 */
export function clientSettings(
  env: Readonly<Record<string, string | undefined>> = process.env,
): ClientSettings {
  const { DATAGRID_URL: url = '', DATAGRID_API_KEY: key = '' } = env;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new WrongUsage(
      'Set DATAGRID_URL to the URL of the service, such as http://localhost:3000.',
    );
  }
  if (key === '') throw new WrongUsage('Set DATAGRID_API_KEY to an API key.');
  return { origin: new URL(url).origin, key };
}

/** Thrown when a command is called incorrectly. Reported as one line. */
export class WrongUsage extends Error {}

/** Thrown for an expected failure. Only its message is reported, without a stack trace. */
export class ClientFailure extends Error {
  constructor(
    message: string,
    /** Path of a resource with details, such as an import report. */
    readonly location?: string,
  ) {
    super(message);
  }
}

/** Thrown for a failure that may be temporary. Retrying may succeed. */
export class TransientError extends ClientFailure {
  constructor(
    message: string,
    /** The wait that the service requests in `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}
