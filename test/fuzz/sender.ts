import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { LAST } from './bodies';
import type { Living } from './living';
import type { FuzzRequest } from './requests';

/** No answer takes as long, on a machine however busy. */
const PATIENCE_MS = 60_000;

export interface SentRequest extends Pick<FuzzRequest, 'operation' | 'method' | 'body' | 'caller'> {
  /** As it went over the wire. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A request with all that is known now filled in. */
export function filledIn(request: FuzzRequest, living: Living): SentRequest {
  const { operation, method, caller, path, query } = request;
  let datagridId = '';
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = request.pathValues[name] ?? { live: 0 };
    if ('text' in value) return value.text;
    const ofDatagrid = name === 'importId' ? living.importOf(datagridId) : undefined;
    const id = ofDatagrid ?? living.pick(name, value.live, path);
    if (name === 'datagridId') datagridId = id;
    return id;
  });
  const target = `${filled}${query === '' ? '' : `?${query.replaceAll(LAST, living.cursor)}`}`;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      value === LAST ? living.etag : value,
    ]),
  );
  const body = request.body?.replaceAll(LAST, living.cursor);
  return { operation, method, body, caller, target, headers };
}

/** Sends requests as they are: nothing is normalised, followed or unpacked. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(
    private readonly origin: string,
    private readonly keys: Readonly<Record<FuzzRequest['caller'], string | undefined>>,
  ) {}

  send({ method, target, headers, body, caller }: SentRequest): Promise<FuzzAnswer> {
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
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const { statusCode: status = 0, headers: given } = answer;
          resolve({ status, headers: given, bytes: Buffer.concat(chunks) });
        });
      });
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
