import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { DATAGRID, LAST, VIEW } from './bodies';
import type { KnownResources } from './known-resources';
import type { FuzzRequest } from './requests';

/** Longer than any response takes on a busy machine. */
const PATIENCE_MS = 60_000;

export interface SentRequest extends Pick<FuzzRequest, 'operation' | 'method' | 'body' | 'caller'> {
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface FuzzResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Completes a request with the current ids, cursor and ETag. */
export function filledIn(request: FuzzRequest, known: KnownResources): SentRequest {
  const { operation, method, caller, path, query } = request;
  let [datagridId, connectionId] = ['', ''];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = request.pathValues[name] ?? { index: 0 };
    if ('text' in value) return value.text;
    const ofDatagrid =
      name === 'importId'
        ? known.importOf(datagridId)
        : name === 'viewId'
          ? known.viewOf(datagridId)
          : undefined;
    const id = ofDatagrid ?? known.pick(name, value.index, path);
    if (name === 'datagridId') datagridId = id;
    if (name === 'connectionId') connectionId = id;
    return id;
  });
  const view = known.viewOf(datagridId) ?? 'none';
  const search = query.replaceAll(LAST, known.cursor).replaceAll(VIEW, view);
  const target = `${filled}${search === '' ? '' : `?${search}`}`;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      value === LAST ? known.etag : value,
    ]),
  );
  const body = request.body
    ?.replaceAll(LAST, known.cursor)
    .replaceAll(VIEW, view)
    .replaceAll(DATAGRID, known.datagridOf(connectionId));
  return { operation, method, body, caller, target, headers };
}

/** Sends requests unchanged: does not normalize paths, follow redirects or decompress responses. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(
    private readonly origin: string,
    private readonly keys: Readonly<Record<FuzzRequest['caller'], string | undefined>>,
  ) {}

  send({ method, target, headers, body, caller }: SentRequest): Promise<FuzzResponse> {
    const { hostname, port } = new URL(this.origin);
    const key = this.keys[caller];
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        agent: this.agent,
        hostname,
        port,
        method,
        path: target,
        timeout: PATIENCE_MS,
        headers: {
          ...headers,
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
      });
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error('no response in time')));
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, bytes: Buffer.concat(chunks) });
        });
      });
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
