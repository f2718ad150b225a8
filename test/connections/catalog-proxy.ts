import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a commit of a table: the connection breaks before or after the catalog has made it,
 * or the catalog responds 500 or 503 afterwards, or 503 before.
 */
export const COMMIT_FAULTS = [
  'noRequest',
  'noResponse',
  'failsAfterwards',
  'unavailableAfterwards',
  'unavailable',
] as const;
export type CommitFault = (typeof COMMIT_FAULTS)[number];

/** A proxy between a sync and its catalog, which breaks chosen commits. */
export class CatalogProxy {
  /** If it is set, the catalog requires this token. */
  bearerToken: string | undefined;
  /** Configuration of the storage that the catalog gives with a table, to those who ask for it. */
  storageConfig: Readonly<Record<string, string>> | undefined;
  /** Number of commits that were to be made. */
  commits = 0;
  /** What happens to the next commits, one after another. */
  faults: CommitFault[] = [];
  /** Waits before a commit is sent on. */
  beforeCommit: (() => Promise<void>) | undefined;
  private readonly server: Server;

  private constructor(private readonly targetPort: number) {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(targetPort: number): Promise<CatalogProxy> {
    const proxy = new CatalogProxy(targetPort);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get uri(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isCommit = request.method === 'POST' && /\/tables\/[^/]+$/.test(request.url ?? '');
    const body = await bytesOf(request);
    const { bearerToken } = this;
    if (bearerToken !== undefined && request.headers.authorization !== `Bearer ${bearerToken}`) {
      const error = { message: 'Not authorized', type: 'NotAuthorizedException', code: 401 };
      response.writeHead(401).end(JSON.stringify({ error }));
      return;
    }
    let fault: CommitFault | undefined;
    if (isCommit && !request.url?.endsWith('/tables/rename')) {
      this.commits += 1;
      fault = this.faults.shift();
      await this.beforeCommit?.();
    }
    if (fault === 'noRequest') request.socket.destroy();
    else if (fault === 'unavailable') response.writeHead(503).end();
    else await this.forward(request, body, response, fault);
  }

  private withConfig(content: Buffer, headers: IncomingMessage['headers']): Buffer {
    const isAsked = headers['x-iceberg-access-delegation'] === 'vended-credentials';
    if (this.storageConfig === undefined || !isAsked || !content.includes('"metadata"')) {
      return content;
    }
    const table = JSON.parse(content.toString()) as Readonly<Record<string, unknown>>;
    return Buffer.from(JSON.stringify({ ...table, config: this.storageConfig }));
  }

  private async forward(
    { method, url, headers, socket }: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    fault: CommitFault | undefined,
  ): Promise<void> {
    const sent = httpRequest({
      host: '127.0.0.1',
      port: this.targetPort,
      method,
      path: url,
      headers: { ...headers, connection: 'close' },
    });
    sent.end(body);
    const [received] = (await once(sent, 'response')) as [IncomingMessage];
    const content = await bytesOf(received);
    if (fault === 'noResponse') socket.destroy();
    else if (fault === 'failsAfterwards') response.writeHead(500).end();
    else if (fault === 'unavailableAfterwards') response.writeHead(503).end();
    else {
      const type = received.headers['content-type'] ?? 'application/json';
      response
        .writeHead(received.statusCode ?? 500, { 'content-type': type })
        .end(this.withConfig(content, headers));
    }
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
