import { request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ClientFailure, TransientError } from './failure';
import type { ClientSettings } from './settings';

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
    const answer = await this.send(call);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw failureOf(answer, await text(answer).catch(() => ''));
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
      sent.on('response', (answer) => {
        // The response may arrive before the body is sent completely. The rest of the body is then
        // not sent.
        body?.unpipe(sent);
        answer.once('close', () => sent.destroy());
        resolve(answer);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        reject(new TransientError(`The connection to ${origin} failed: ${reasonOf(error)}.`));
      });
      if (!body) {
        sent.end();
        return;
      }
      body.on('error', (error) => {
        reject(new ClientFailure(`The file cannot be read: ${error.message}`));
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
  if (!error) return `The service answered ${String(status)}.`;
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
