import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import type { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector } from '../../platform/outbound/checked-connector';
import type { Resolver } from '../../platform/outbound/host-resolver';
import { DestinationError } from '../destination';
import { diskError } from './parquet-error';
import { responseCutOff, S3Errors, type S3SettingNames } from './s3-error';
import { MAX_FILE_BYTES } from './segments';

const CONNECT_TIMEOUT_MS = 10_000;
/** Time in which some bytes of a body must arrive. */
const STALL_TIMEOUT_MS = 30_000;
/** Headers and what surrounds a body. */
const OVERHEAD_BYTES = 1024 * 1024;
const EMPTY_HASH = createHash('sha256').digest('hex');

/** A bucket that a user chose, and the keys for it. */
export interface S3Access {
  readonly bucket: string;
  readonly region: string;
  /** URL of a server that is compatible with S3; `null` for AWS. */
  readonly endpoint: string | null;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of temporary keys. */
  readonly sessionToken?: string;
  readonly caCertificate: string | null;
  readonly policy: AddressPolicy;
  readonly resolve: Resolver;
  readonly settingNames: S3SettingNames;
}

/** A request of S3. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | { readonly path: string; readonly bytes: number };
  readonly timeoutMs: number;
}

type Signer = typeof AwsV4Signer;

/**
 * Requests to a bucket. Each is signed, connects only to addresses that the policy accepts, and follows
 * no redirects.
 */
export class S3Requests {
  readonly errors: S3Errors;
  private readonly agent: Agent;
  private readonly origin: string;
  private readonly base: string;

  constructor(private readonly access: S3Access) {
    const { bucket, endpoint, region, policy, resolve, caCertificate } = access;
    this.errors = new S3Errors(access.settingNames);
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    // A name with a dot does not match the certificate of AWS.
    const isPath = endpoint !== null || bucket.includes('.');
    const host = isPath ? `s3.${region}.${domain}` : `${bucket}.s3.${region}.${domain}`;
    this.origin = new URL(endpoint ?? `https://${host}`).origin;
    this.base = isPath ? `/${bucket}` : '';
    this.agent = new Agent({
      connect: checkedConnector(policy, {
        timeoutMs: CONNECT_TIMEOUT_MS,
        resolve,
        maxResponseBytes: MAX_FILE_BYTES + OVERHEAD_BYTES,
        ...(caCertificate !== null && { ca: caCertificate }),
      }),
      pipelining: 1,
    });
  }

  /** Closes all connections. Requests in progress fail here, but may end on the server. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** Sends a request. A failure of `read` that is no `DestinationError` is one of the connection. */
  async send<T>(
    { method, key, query = {}, headers = {}, body, timeoutMs }: S3Request,
    read: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const path = key === '' ? `${this.base}/` : `${this.base}/${encodedKey(key)}`;
    const parameters = Object.entries(query)
      .map(([name, value]) => `${name}=${encoded(value)}`)
      .join('&');
    const url = `${this.origin}${path}${parameters === '' ? '' : `?${parameters}`}`;
    const signed = await this.sign(method, url, headers, await hashOf(body));
    const isFile = body !== undefined && !Buffer.isBuffer(body);
    const source = isFile ? createReadStream(body.path) : body;
    try {
      const response = await request(url, {
        method,
        dispatcher: this.agent,
        headers: {
          ...signed,
          ...(isFile && { 'content-length': String(body.bytes) }),
        },
        body: source ?? null,
        signal: AbortSignal.timeout(timeoutMs),
        headersTimeout: timeoutMs,
        bodyTimeout: STALL_TIMEOUT_MS,
      });
      return await read(response);
    } catch (error) {
      throw this.errors.of(error);
    } finally {
      if (isFile) (source as ReturnType<typeof createReadStream>).destroy();
    }
  }

  /** Reads a whole body into memory. */
  async readBody({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw this.errors.tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Returns the ETag of a response. It is sent back, so it must be one. */
  etagOf({ headers }: Dispatcher.ResponseData): string {
    const { etag } = headers;
    if (typeof etag !== 'string' || !/^(W\/)?"?[\x21\x23-\x7e]{1,200}"?$/.test(etag)) {
      throw this.errors.notS3(200);
    }
    return etag;
  }

  private async sign(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    hash: string,
  ): Promise<Record<string, string>> {
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.access;
    const Signer = await loadSigner();
    const signer = new Signer({
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    });
    return Object.fromEntries((await signer.sign()).headers.entries());
  }
}

/** Loads the signer, which is an optional dependency. */
async function loadSigner(): Promise<Signer> {
  try {
    return (await import('aws4fetch')).AwsV4Signer;
  } catch (cause) {
    const message = 'S3 is not installed. The operator must install the npm package aws4fetch.';
    throw new DestinationError('configuration', message, { cause });
  }
}

/** Encodes a text as signatures require: all characters but those that RFC 3986 calls unreserved. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function encodedKey(key: string): string {
  return key.split('/').map(encoded).join('/');
}

/** Returns the SHA-256 of a body, which the signature covers: so the server notices other bytes. */
async function hashOf(body: S3Request['body']): Promise<string> {
  if (body === undefined) return EMPTY_HASH;
  const hash = createHash('sha256');
  if (Buffer.isBuffer(body)) return hash.update(body).digest('hex');
  try {
    await pipeline(createReadStream(body.path), hash);
    return hash.digest('hex');
  } catch (error) {
    throw diskError(error);
  }
}

/** Writes a body to a file. @returns whether it has the expected size. */
export async function writeBody(
  { body, headers }: Dispatcher.ResponseData,
  path: string,
  bytes: number,
): Promise<boolean> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let failure: unknown;
  file.once('error', (error) => {
    failure = error;
  });
  let received = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > bytes) return;
      yield chunk;
    }
  };
  try {
    await pipeline(body, counted, file);
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error === failure ? diskError(error) : error;
  }
  if (received === bytes) return true;
  await rm(path, { force: true }).catch(() => undefined);
  // Without a length, a connection that breaks looks like the end of the response.
  const hasEnd =
    headers['content-length'] !== undefined ||
    String(headers['transfer-encoding']).toLowerCase() === 'chunked';
  if (received < bytes && !hasEnd) throw responseCutOff();
  return false;
}
