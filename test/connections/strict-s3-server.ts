import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a signature covers. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** Returns the signature (version 4) that a request must have, by the documentation of AWS. */
export function signatureOf(
  { method, target, headers }: SignedRequest,
  scope: string,
  signedHeaders: string,
  secret: string,
): string {
  const [path = '', query = ''] = target.split('?');
  const parameters = query
    .split('&')
    .filter(Boolean)
    .map((each) => (each.includes('=') ? each : `${each}=`))
    .sort()
    .join('&');
  const names = signedHeaders.split(';');
  const lines = names.map((name) => `${name}:${headers[name]?.trim() ?? ''}\n`).join('');
  const hash = headers['x-amz-content-sha256'] ?? '';
  const canonical = [method, path, parameters, lines, signedHeaders, hash].join('\n');
  const [date = '', region = '', service = ''] = scope.split('/');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [region, service, 'aws4_request'].reduce<Buffer | string>(
    (last, part) => hmac(last, part),
    hmac(`AWS4${secret}`, date),
  );
  return hmac(key, text).toString('hex');
}

/** A request that the server has received. */
export interface Received {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Responds in place of the server. @returns whether it has done so. */
export type Intercept = (request: Received, response: ServerResponse) => boolean;

/**
 * A server of S3 in memory, which checks signatures and hashes, and honors the conditions of writes. A
 * test can respond in its place.
 */
export class StrictS3Server {
  readonly bucket = 'lake';
  readonly region = 'eu-test-1';
  readonly accessKeyId = 'AKIAEXAMPLE';
  readonly secretAccessKey = 'wJalr/secret+key';
  readonly objects = new Map<string, Buffer>();
  readonly requests: Received[] = [];
  intercept: Intercept = () => false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StrictS3Server> {
    const server = createServer();
    const strict = new StrictS3Server(server);
    server.on('request', (request, response) => void strict.respond(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return strict;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Settings of a connection. */
  get settings(): Readonly<Record<string, unknown>> {
    const { bucket, region, endpoint, accessKeyId } = this;
    return { storage: 's3', bucket, region, endpoint, accessKeyId, prefix: 'copies/year=2026' };
  }

  /** Returns the only key that ends so. */
  keyOf(end: string): string {
    const [key] = [...this.objects.keys()].filter((each) => each.endsWith(end));
    if (key === undefined) throw new Error(`There is no ${end}.`);
    return key;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Carries a request out. */
  perform({ method, key, query, headers, body }: Received, response: ServerResponse): void {
    const stored = this.objects.get(key);
    if (method === 'PUT') {
      const { 'if-match': match, 'if-none-match': noneMatch } = headers;
      const isWrong =
        (match !== undefined && (!stored || etagOf(stored) !== match)) ||
        (noneMatch === '*' && stored !== undefined);
      if (isWrong) {
        fail(response, 412, 'PreconditionFailed');
        return;
      }
      this.objects.set(key, body);
      response.writeHead(200, { etag: etagOf(body) }).end();
    } else if (method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (query.get('list-type') === '2') {
      response.writeHead(200).end(this.list(query.get('prefix') ?? ''));
    } else if (stored) response.writeHead(200, { etag: etagOf(stored) }).end(stored);
    else fail(response, 404, 'NoSuchKey');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '', 'http://localhost');
    const received: Received = {
      method: request.method ?? '',
      key: decodeURIComponent(url.pathname.slice(this.bucket.length + 2)),
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    this.requests.push(received);
    if (this.intercept(received, response)) return;
    if (!url.pathname.startsWith(`/${this.bucket}/`)) fail(response, 404, 'NoSuchBucket');
    else if (!this.isSigned(request, received.body)) fail(response, 403, 'SignatureDoesNotMatch');
    else this.perform(received, response);
  }

  private isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
    const [, keyId, scope = '', names = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const flat = headers as Readonly<Record<string, string | undefined>>;
    const request = { method, target: url, headers: flat };
    return (
      keyId === this.accessKeyId &&
      scope.split('/')[1] === this.region &&
      names.split(';').includes('host') &&
      flat['x-amz-content-sha256'] === sha256(body) &&
      signature === signatureOf(request, scope, names, this.secretAccessKey)
    );
  }

  private list(prefix: string): string {
    const contents = [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(
        ([key, { length }]) =>
          `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${String(length)}</Size>` +
          `<LastModified>${new Date().toISOString()}</LastModified></Contents>`,
      );
    return `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
  }
}

export const etagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;

/** Responds with an error of S3. */
export function fail(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status)
    .end(`<Error><Code>${code}</Code><Message>It failed.</Message></Error>`);
}
