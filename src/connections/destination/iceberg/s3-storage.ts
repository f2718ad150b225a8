import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import {
  checkedConnector,
  ResponseTooLargeError,
} from '../../../platform/outbound/checked-connector';
import { DestinationError, type FailureKind, printable } from '../destination';
import { icebergError } from './iceberg-error';
import type { CatalogAccess } from './iceberg-http';
import type { TableStorage } from './table-storage';

const CONNECT_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** Delays before a request that failed is sent again. Requests can be repeated. */
const RETRY_MS = [200, 1_000, 4_000];
const MAX_ERROR_BYTES = 16 * 1024;
const MAX_SERVER_MESSAGE = 300;
/** A file is smaller. */
const MAX_RAW_RESPONSE_BYTES = 4 * 1024 ** 3;
/** Number of objects that are deleted at a time. */
const DELETES = 8;
const ADDRESS = /^s3a?:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.{1,1000})$/s;

/** How to reach a bucket. */
export interface S3Settings {
  /** URL of a server that is compatible with S3; `null` for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken: string | null;
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  readonly address: string;
  readonly content?: Buffer;
  readonly path?: string;
}

/** Objects in S3, or in a server that is compatible with it. */
export class S3Storage implements TableStorage {
  private readonly agent: Agent;

  constructor(
    private readonly settings: S3Settings,
    { policy, resolve, caCertificate }: CatalogAccess,
  ) {
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

  async put(address: string, content: Buffer): Promise<void> {
    await this.send({ method: 'PUT', address, content }, drain);
  }

  async get(address: string, maxBytes: number): Promise<Buffer> {
    return this.send({ method: 'GET', address }, (body) => readBytes(body, maxBytes));
  }

  async upload(address: string, path: string): Promise<void> {
    await this.send({ method: 'PUT', address, path }, drain);
  }

  async download(address: string, path: string, bytes: number): Promise<void> {
    await this.send({ method: 'GET', address }, async (body) => {
      await pipeline(bounded(body, bytes), createWriteStream(path));
    });
    const { size } = await stat(path);
    if (size === bytes) return;
    throw new DestinationError('inconsistent', 'A file of the table has another size now.');
  }

  async has(address: string): Promise<boolean> {
    try {
      await this.send({ method: 'HEAD', address }, drain);
      return true;
    } catch (error) {
      if (error instanceof DestinationError && error.kind === 'inconsistent') return false;
      throw error;
    }
  }

  async delete(addresses: readonly string[]): Promise<void> {
    for (let from = 0; from < addresses.length; from += DELETES) {
      const part = addresses.slice(from, from + DELETES);
      await Promise.allSettled(
        part.map((address) => this.send({ method: 'DELETE', address }, drain)),
      );
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send<T>(
    sent: S3Request,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    for (let n = 0; ; n += 1) {
      try {
        return await this.sendOnce(sent, read);
      } catch (error) {
        const failure = storageError(error);
        const delayMs = RETRY_MS[n];
        if (failure.kind !== 'unavailable' || delayMs === undefined) throw failure;
        await wait(delayMs);
      }
    }
  }

  private async sendOnce<T>(
    { method, address, content, path }: S3Request,
    read: (body: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    const { url, headers } = await this.sign(method, address);
    const size = path === undefined ? content?.length : (await stat(path)).size;
    const body = path === undefined ? content : createReadStream(path);
    const response = await request(url, {
      method,
      dispatcher: this.agent,
      headers: { ...headers, ...(size !== undefined && { 'content-length': String(size) }) },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    if (response.statusCode < 200 || response.statusCode >= 300) throw await failureOf(response);
    return read(response.body);
  }

  private async sign(
    method: string,
    address: string,
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> {
    const { AwsV4Signer } = await loadSigner();
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.settings;
    const signed = await new AwsV4Signer({
      method,
      url: this.urlOf(address),
      // The transport protects the content.
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== null && { sessionToken }),
    }).sign();
    return { url: signed.url.href, headers: Object.fromEntries(signed.headers) };
  }

  private urlOf(address: string): string {
    const [, bucket, key] = ADDRESS.exec(address) ?? [];
    if (bucket === undefined || key === undefined) {
      const message = `The storage of the table is not S3: ${printable(address, 100)}. Choose a catalog whose tables are in S3.`;
      throw new DestinationError('configuration', message);
    }
    const { endpoint, region } = this.settings;
    const base = endpoint ?? `https://s3.${region}.amazonaws.com`;
    const path = key.split('/').map(encodeSegment).join('/');
    return `${base.replace(/\/+$/, '')}/${bucket}/${path}`;
  }
}

/** S3 signs paths with everything encoded but these characters. */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

async function failureOf(response: Dispatcher.ResponseData): Promise<S3ResponseError> {
  const text = await readBytes(response.body, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0));
  const xml = text.toString('utf8');
  const [, code = ''] = /<Code>(\w{1,100})<\/Code>/.exec(xml) ?? [];
  const [, message = ''] = /<Message>([^<]*)<\/Message>/.exec(xml) ?? [];
  return new S3ResponseError(response.statusCode, code, printable(message, MAX_SERVER_MESSAGE));
}

/** A response of S3 that is no success. */
export class S3ResponseError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

async function* bounded(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) throw new ResponseTooLargeError();
    yield part;
  }
}

async function readBytes(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bounded(body, maxBytes)) parts.push(part);
  return Buffer.concat(parts);
}

async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  await readBytes(body, MAX_ERROR_BYTES);
}

/** Loads the signer, which is an optional dependency. */
async function loadSigner(): Promise<typeof import('aws4fetch')> {
  try {
    return await import('aws4fetch');
  } catch (cause) {
    throw new DestinationError(
      'configuration',
      'The client of S3 is not installed. The operator must install the npm package aws4fetch.',
      { cause },
    );
  }
}

/** Turns a failure of a request to S3 into one for the owner of the connection. */
function storageError(error: unknown): DestinationError {
  if (error instanceof ResponseTooLargeError) {
    const text = 'A file of the table is larger than it was.';
    return new DestinationError('inconsistent', text, { cause: error });
  }
  if (!(error instanceof S3ResponseError)) return icebergError(error);
  const { status, code, message } = error;
  const [kind, text] = failureText(status, code);
  return new DestinationError(
    kind,
    `${text} (status ${String(status)})${message && ` S3: ${message}`}`,
    { cause: error },
  );
}

function failureText(status: number, code: string): readonly [FailureKind, string] {
  if (code === 'NoSuchBucket') {
    return ['configuration', 'The bucket does not exist. Check `s3Endpoint` and the warehouse.'];
  }
  if (status === 404) return ['inconsistent', 'A file of the table does not exist anymore.'];
  if (status === 401 || status === 403) {
    return [
      'configuration',
      'S3 rejected the credentials, or they lack a right. Grant s3:GetObject, s3:PutObject and s3:DeleteObject on the objects of the warehouse.',
    ];
  }
  if (status >= 500 || status === 429 || status === 408) {
    return ['unavailable', 'S3 has too much to do, or failed.'];
  }
  if (status >= 300 && status < 400) {
    return ['configuration', 'S3 responds with a redirect. Check `s3Endpoint` and `s3Region`.'];
  }
  return ['configuration', 'S3 rejected the request. Check `s3Endpoint` and `s3Region`.'];
}
