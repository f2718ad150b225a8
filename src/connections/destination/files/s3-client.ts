import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import type { AddressPolicy } from '../../../platform/outbound/address-policy';
import { checkedConnector } from '../../../platform/outbound/checked-connector';
import type { Resolver } from '../../../platform/outbound/host-resolver';
import { DestinationError } from '../destination';
import { diskError } from './parquet-error';
import { cutOff, notS3, s3Error, s3Failure, tooLarge } from './s3-error';

const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum time of a request with a small body, and of one with a file. */
const REQUEST_TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 900_000;
/** Time in which some bytes of a body must arrive. */
const STALL_TIMEOUT_MS = 30_000;
/** Largest file that is read. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Headers and what surrounds a body. */
const OVERHEAD_BYTES = 1024 * 1024;
/** Keys of one page of a list. */
const PAGE_KEYS = 1_000;
const MAX_KEYS = 500_000;
const DELETES_AT_A_TIME = 8;
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
}

/** On which condition an object is written. */
export type PutCondition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** An object in a list. */
export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
}

/** A small object with its ETag. */
export interface S3Content {
  readonly etag: string;
  readonly body: Buffer;
}

interface Sent {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | { readonly path: string; readonly bytes: number };
  readonly timeoutMs: number;
}

type Signer = typeof AwsV4Signer;

/**
 * Objects in a bucket. It connects only to addresses that the policy accepts, follows no redirects, and
 * reads no more than it expects. All methods throw `DestinationError`.
 *
 * The SDK of AWS is not used: `undici` takes sockets that are checked against the policy, and five
 * operations of its hundreds are needed. Signatures are those of `aws4fetch`, an optional dependency.
 */
export class S3Client {
  private readonly agent: Agent;
  private readonly origin: string;
  private readonly base: string;

  constructor(private readonly access: S3Access) {
    const { bucket, endpoint, region, policy, resolve, caCertificate } = access;
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

  /** Returns a small object; `null` if there is none. */
  async read(key: string, maxBytes: number): Promise<S3Content | null> {
    const sent: Sent = { method: 'GET', key, timeoutMs: REQUEST_TIMEOUT_MS };
    return this.send(sent, async (response) => {
      const body = await readBody(response, maxBytes);
      if (response.statusCode === 200) return { etag: etagOf(response), body };
      const failure = s3Failure(response.statusCode, body);
      if (failure.code === 'NoSuchKey') return null;
      throw failure.error;
    });
  }

  /**
   * Writes a small object.
   * @returns its ETag; `null` if the condition does not hold.
   */
  async write(key: string, body: Buffer, condition?: PutCondition): Promise<string | null> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (condition && 'ifMatch' in condition) headers['if-match'] = condition.ifMatch;
    else if (condition) headers['if-none-match'] = '*';
    const sent: Sent = { method: 'PUT', key, headers, body, timeoutMs: REQUEST_TIMEOUT_MS };
    return this.send(sent, async (response) => {
      const text = await readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode === 200) return etagOf(response);
      const failure = s3Failure(response.statusCode, text);
      // 409: another request with a condition is in progress. 404: the object was deleted.
      const isConflict =
        response.statusCode === 412 ||
        response.statusCode === 409 ||
        (failure.code === 'NoSuchKey' && condition !== undefined);
      if (isConflict && condition) return null;
      throw failure.error;
    });
  }

  /** Writes a file to an object. */
  async upload(key: string, path: string): Promise<void> {
    const { size: bytes } = await stat(path).catch((error: unknown) => {
      throw diskError(error);
    });
    const body = { path, bytes };
    await this.send({ method: 'PUT', key, body, timeoutMs: FILE_TIMEOUT_MS }, async (response) => {
      const text = await readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode !== 200) throw s3Failure(response.statusCode, text).error;
    });
  }

  /**
   * Reads an object of a known size into a new file.
   * @returns whether it exists and has this size.
   */
  async download(key: string, path: string, bytes: number): Promise<boolean> {
    if (bytes > MAX_FILE_BYTES) return false;
    const sent: Sent = { method: 'GET', key, timeoutMs: FILE_TIMEOUT_MS };
    return this.send(sent, async (response) => {
      if (response.statusCode !== 200) {
        const text = await readBody(response, MAX_RESPONSE_BYTES);
        const failure = s3Failure(response.statusCode, text);
        if (failure.code === 'NoSuchKey') return false;
        throw failure.error;
      }
      if (Number(response.headers['content-length'] ?? bytes) !== bytes) {
        response.body.destroy();
        return false;
      }
      return writeBody(response, path, bytes);
    });
  }

  /** Returns the objects whose keys begin with a prefix. */
  async list(prefix: string): Promise<S3Object[]> {
    const objects: S3Object[] = [];
    let token: string | null = null;
    do {
      const page: ListPage = await this.listPage(prefix, token);
      objects.push(...page.objects);
      if (objects.length > MAX_KEYS) throw tooLarge();
      token = page.nextToken;
    } while (token !== null);
    return objects;
  }

  /** Deletes objects. Those that do not exist are left out. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += DELETES_AT_A_TIME) {
      const part = keys.slice(from, from + DELETES_AT_A_TIME);
      await Promise.all(part.map((key) => this.deleteOne(key)));
    }
  }

  /** Closes all connections. Requests in progress fail here, but may end on the server. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async deleteOne(key: string): Promise<void> {
    const sent: Sent = { method: 'DELETE', key, timeoutMs: REQUEST_TIMEOUT_MS };
    await this.send(sent, async (response) => {
      const text = await readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode === 200 || response.statusCode === 204) return;
      const failure = s3Failure(response.statusCode, text);
      if (failure.code !== 'NoSuchKey') throw failure.error;
    });
  }

  private async listPage(prefix: string, token: string | null): Promise<ListPage> {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': String(PAGE_KEYS),
      prefix,
      ...(token !== null && { 'continuation-token': token }),
    };
    const sent: Sent = { method: 'GET', key: '', query, timeoutMs: REQUEST_TIMEOUT_MS };
    return this.send(sent, async (response) => {
      const text = await readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode !== 200) throw s3Failure(response.statusCode, text).error;
      return readListPage(text.toString('utf8'), prefix);
    });
  }

  /** Sends a request. A failure of `read` that is no `DestinationError` is one of the connection. */
  private async send<T>(
    { method, key, query = {}, headers = {}, body, timeoutMs }: Sent,
    read: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const path = key === '' ? `${this.base}/` : `${this.base}/${encodedKey(key)}`;
    const parameters = new URLSearchParams(query).toString().replaceAll('+', '%20');
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
      throw s3Error(error);
    } finally {
      if (isFile) (source as ReturnType<typeof createReadStream>).destroy();
    }
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

/** Encodes a key for a path, as signatures of S3 require. */
function encodedKey(key: string): string {
  return key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replaceAll(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');
}

/** Returns the SHA-256 of a body, which the signature covers: so the server notices other bytes. */
async function hashOf(body: Sent['body']): Promise<string> {
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

/** Reads a whole body into memory. */
async function readBody({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Writes a body to a file. @returns whether it has the expected size. */
async function writeBody(
  { body }: Dispatcher.ResponseData,
  path: string,
  bytes: number,
): Promise<boolean> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let failure: unknown;
  file.once('error', (error) => {
    failure = error;
  });
  let received = 0;
  try {
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          received += chunk.length;
          if (received > bytes) throw tooLarge();
          yield chunk;
        }
      },
      file,
    );
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error === failure ? diskError(error) : error;
  }
  if (received < bytes) throw cutOff();
  return true;
}

/** Returns the ETag of a response. It is sent back, so it must be one. */
function etagOf({ headers }: Dispatcher.ResponseData): string {
  const { etag } = headers;
  if (typeof etag !== 'string' || !/^(W\/)?"?[\x21\x23-\x7e]{1,200}"?$/.test(etag))
    throw notS3(200);
  return etag;
}

interface ListPage {
  readonly objects: readonly S3Object[];
  readonly nextToken: string | null;
}

/** Reads a page of a list. Keys are encoded as in URLs, so that no XML is in them. */
function readListPage(xml: string, prefix: string): ListPage {
  if (!/<ListBucketResult[\s>]/.test(xml)) throw notS3(200);
  const objects = [...xml.matchAll(/<Contents>([^]*?)<\/Contents>/g)].flatMap(([, text = '']) => {
    const object = readObject(text);
    return object?.key.startsWith(prefix) === true ? [object] : [];
  });
  const isTruncated = elementOf(xml, 'IsTruncated') === 'true';
  const nextToken = elementOf(xml, 'NextContinuationToken');
  if (isTruncated && (nextToken === null || objects.length === 0)) throw notS3(200);
  return { objects, nextToken: isTruncated ? nextToken : null };
}

function readObject(text: string): S3Object | null {
  const [key, size, modified] = ['Key', 'Size', 'LastModified'].map((name) =>
    elementOf(text, name),
  );
  const [bytes, modifiedAtMs] = [Number(size), Date.parse(modified ?? '')];
  if (!key || !Number.isSafeInteger(bytes) || Number.isNaN(modifiedAtMs)) throw notS3(200);
  try {
    return { key: decodeURIComponent(key.replaceAll('+', ' ')), bytes, modifiedAtMs };
  } catch {
    throw notS3(200);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** Returns the text of the first element with a name; `null` if there is none. */
function elementOf(xml: string, name: string): string | null {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replaceAll(/&(\w+);/g, (entity, of: string) => ENTITIES[of] ?? entity) ?? null;
}
