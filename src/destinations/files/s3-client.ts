import { stat } from 'node:fs/promises';
import { diskError } from './parquet-error';
import { type S3Errors, tooLong } from './s3-error';
import { type S3Access, type S3Request, S3Requests, writeBody } from './s3-request';
import { MAX_FILE_BYTES } from './segments';

export type { S3Access } from './s3-request';

/** Maximum time of a request with a small body, and of one with a file. */
const REQUEST_TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 900_000;
/** Maximum time of all pages of a list. */
const LIST_TIMEOUT_MS = 600_000;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Keys of one page of a list. */
const PAGE_KEYS = 1_000;
const MAX_KEYS = 500_000;
const MAX_PAGES = 1_000;
const DELETES_AT_A_TIME = 8;

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

/**
 * Objects in a bucket. It connects only to addresses that the policy accepts, follows no redirects, and
 * reads no more than it expects. All methods throw `DestinationError`.
 *
 * The SDK of AWS is not used: `undici` takes sockets that are checked against the policy, and five
 * operations of its hundreds are needed. Signatures are those of `aws4fetch`, an optional dependency.
 */
export class S3Client {
  private readonly requests: S3Requests;

  constructor(access: S3Access) {
    this.requests = new S3Requests(access);
  }

  /** Returns a small object; `null` if there is none. */
  async read(key: string, maxBytes: number): Promise<S3Content | null> {
    const sent: S3Request = { method: 'GET', key, timeoutMs: REQUEST_TIMEOUT_MS };
    return this.requests.send(sent, async (response) => {
      const body = await this.requests.readBody(response, maxBytes);
      if (response.statusCode === 200) return { etag: this.requests.etagOf(response), body };
      const failure = this.errors.failureOf(response.statusCode, body);
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
    const sent: S3Request = { method: 'PUT', key, headers, body, timeoutMs: REQUEST_TIMEOUT_MS };
    return this.requests.send(sent, async (response) => {
      const text = await this.requests.readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode === 200) return this.requests.etagOf(response);
      const failure = this.errors.failureOf(response.statusCode, text);
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
    await this.requests.send(
      { method: 'PUT', key, body, timeoutMs: FILE_TIMEOUT_MS },
      async (response) => {
        const text = await this.requests.readBody(response, MAX_RESPONSE_BYTES);
        if (response.statusCode !== 200)
          throw this.errors.failureOf(response.statusCode, text).error;
      },
    );
  }

  /**
   * Reads an object of a known size into a new file.
   * @returns whether it exists and has this size.
   */
  async download(key: string, path: string, bytes: number): Promise<boolean> {
    if (bytes > MAX_FILE_BYTES) return false;
    const sent: S3Request = { method: 'GET', key, timeoutMs: FILE_TIMEOUT_MS };
    return this.requests.send(sent, async (response) => {
      if (response.statusCode !== 200) {
        const text = await this.requests.readBody(response, MAX_RESPONSE_BYTES);
        const failure = this.errors.failureOf(response.statusCode, text);
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
    let pages = 0;
    const endsAtMs = performance.now() + LIST_TIMEOUT_MS;
    do {
      const page: ListPage = await this.listPage(prefix, token);
      objects.push(...page.objects);
      pages += 1;
      if (objects.length > MAX_KEYS || pages > MAX_PAGES) throw this.errors.tooLarge();
      if (performance.now() > endsAtMs) throw tooLong();
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
  close(): Promise<void> {
    return this.requests.close();
  }

  private get errors(): S3Errors {
    return this.requests.errors;
  }

  private async deleteOne(key: string): Promise<void> {
    const sent: S3Request = { method: 'DELETE', key, timeoutMs: REQUEST_TIMEOUT_MS };
    await this.requests.send(sent, async (response) => {
      const text = await this.requests.readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode === 200 || response.statusCode === 204) return;
      const failure = this.errors.failureOf(response.statusCode, text);
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
    const sent: S3Request = { method: 'GET', key: '', query, timeoutMs: REQUEST_TIMEOUT_MS };
    return this.requests.send(sent, async (response) => {
      const text = await this.requests.readBody(response, MAX_RESPONSE_BYTES);
      if (response.statusCode !== 200) throw this.errors.failureOf(response.statusCode, text).error;
      return readListPage(text.toString('utf8'), prefix, this.errors);
    });
  }
}

interface ListPage {
  readonly objects: readonly S3Object[];
  readonly nextToken: string | null;
}

/** Reads a page of a list. Keys are encoded as in URLs, so that no XML is in them. */
function readListPage(xml: string, prefix: string, errors: S3Errors): ListPage {
  if (!/<ListBucketResult[\s>]/.test(xml)) throw errors.notS3(200);
  const objects = elementsOf(xml, 'Contents').flatMap((text) => {
    const object = readObject(text, errors);
    return object?.key.startsWith(prefix) === true ? [object] : [];
  });
  if (objects.length > PAGE_KEYS) throw errors.tooLarge();
  const isTruncated = elementOf(xml, 'IsTruncated') === 'true';
  const nextToken = elementOf(xml, 'NextContinuationToken');
  if (isTruncated && (nextToken === null || objects.length === 0)) throw errors.notS3(200);
  return { objects, nextToken: isTruncated ? nextToken : null };
}

/** Returns the contents of all elements of a name, in linear time. */
function elementsOf(xml: string, name: string): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const found: string[] = [];
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at);
    if (end < 0) break;
    found.push(xml.slice(at + open.length, end));
    at = end;
  }
  return found;
}

function readObject(text: string, errors: S3Errors): S3Object | null {
  const [key, size, modified] = ['Key', 'Size', 'LastModified'].map((name) =>
    elementOf(text, name),
  );
  const [bytes, modifiedAtMs] = [Number(size), Date.parse(modified ?? '')];
  if (!key || !Number.isSafeInteger(bytes) || Number.isNaN(modifiedAtMs)) throw errors.notS3(200);
  try {
    return { key: decodeURIComponent(key.replaceAll('+', ' ')), bytes, modifiedAtMs };
  } catch {
    throw errors.notS3(200);
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
