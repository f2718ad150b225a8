import { randomUUID } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import type { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector, ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import type { Resolver } from '../../platform/outbound/host-resolver';
import { isBounded } from '../bounded-json';
import { CatalogResponseError, icebergError, notIceberg } from './iceberg-error';

const CONNECT_TIMEOUT_MS = 10_000;
/** A catalog reads and writes the metadata of a table for a response. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Metadata of a table with many columns and snapshots. */
export const MAX_METADATA_BYTES = 32 * 1024 * 1024;
/** Other responses. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_RAW_RESPONSE_BYTES = MAX_METADATA_BYTES + 1024 * 1024;

/** How to connect to a catalog that a user chose. */
export interface CatalogAccess {
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
  /** Certificates of the authorities that are trusted, as PEM; `null` for the public ones. */
  readonly caCertificate: string | null;
}

/** A request to a catalog. */
export interface CatalogRequest {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'HEAD';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as a form instead. */
  readonly form?: Readonly<Record<string, string>>;
  /** Default: MAX_RESPONSE_BYTES. */
  readonly maxBytes?: number;
}

/**
 * Sends requests to the REST catalog of a user. Connects only to addresses that the operator allows,
 * follows no redirects, and bounds time and size of responses.
 */
export class CatalogHttp {
  private readonly agent: Agent;

  constructor({ policy, resolve, caCertificate }: CatalogAccess) {
    this.agent = new Agent({
      connect: checkedConnector(policy, {
        timeoutMs: CONNECT_TIMEOUT_MS,
        resolve,
        maxResponseBytes: MAX_RAW_RESPONSE_BYTES,
        ...(caCertificate !== null && { ca: caCertificate }),
      }),
      pipelining: 1,
    });
  }

  /**
   * Returns the JSON of a successful response; `null` if it has none. Integers that a number does not
   * hold are texts.
   * @throws CatalogResponseError for a status that is no success.
   * @throws DestinationError if there is no response.
   */
  async send({ method, url, headers, body, form, maxBytes }: CatalogRequest): Promise<unknown> {
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const content = form ? new URLSearchParams(form).toString() : printJson(body);
    const response = await this.request(url, {
      method,
      dispatcher: this.agent,
      headers: {
        accept: 'application/json',
        ...(content !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const text = await readText(response.body, maxBytes ?? MAX_RESPONSE_BYTES);
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
    const json = parseJson(text);
    if (!isSuccess) throw new CatalogResponseError(response.statusCode, messageOf(json, form));
    if (json === undefined) throw notIceberg('no JSON');
    return json;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async request(
    url: string,
    options: Parameters<typeof request>[1],
  ): Promise<Dispatcher.ResponseData<unknown>> {
    try {
      return await request(url, options);
    } catch (error) {
      throw icebergError(error);
    }
  }
}

async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      bytes += part.length;
      if (bytes > maxBytes) throw new ResponseTooLargeError();
      parts.push(part);
    }
  } catch (error) {
    throw icebergError(error);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The message of an error response: that of a catalog, or of its OAuth endpoint. */
function messageOf(json: unknown, isForm: unknown): string {
  const { error, error_description: description } = objectOf(json);
  if (isForm !== undefined) {
    return [error, description].filter((text) => typeof text === 'string').join(': ');
  }
  const { message } = objectOf(error);
  return typeof message === 'string' ? message : '';
}

const objectOf = (value: unknown): Readonly<Partial<Record<string, unknown>>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** An integer of 64 bits as decimal digits. `JSON.parse` and `JSON.stringify` would round it. */
export class Long {
  constructor(readonly digits: string) {}

  toJSON(): string {
    return `${LONG_MARK}${this.digits}`;
  }
}

const LONG_MARK = `${randomUUID()}:`;
const PRINTED_LONG = new RegExp(String.raw`"${LONG_MARK}(-?\d{1,19})"`, 'g');
const MAX_EXACT_DIGITS = 15;
/** Also matches a string without an end: so the time is linear. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function printJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).replace(PRINTED_LONG, '$1');
}

/** @returns `null` for an empty text, `undefined` for one that is not JSON. */
function parseJson(text: string): unknown {
  if (text.trim() === '') return null;
  if (!isBounded(text)) return undefined;
  try {
    const exact = text.replace(STRING_OR_NUMBER, (token) =>
      /^-?\d+$/.test(token) && token.length > MAX_EXACT_DIGITS ? `"${token}"` : token,
    );
    return JSON.parse(exact) as unknown;
  } catch {
    // A text of millions of escapes exceeds the stack of the expression.
    return undefined;
  }
}
