import type { Bench } from '../prepare';
import type { ServerProcess } from '../server-process';

const BASE = '/api/v1/public';
/** Has no version in its path. */
const MCP = '/mcp';

export interface Sent {
  readonly method: string;
  /** Path after the base path of the API. */
  readonly path: string;
  /** Sent as JSON, unless it is a text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly sentBytes: number;
  readonly bytes: number;
}

/** Sends requests to a server with one key. */
export class DelayClient {
  constructor(
    private readonly bench: Bench,
    readonly server: ServerProcess,
  ) {}

  async send({ method, path, body, headers = {} }: Sent): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const url = path === MCP ? MCP : `${BASE}${path}`;
    const response = await fetch(`http://127.0.0.1:${String(this.server.port)}${url}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.bench.key}`,
        'Accept-Encoding': 'identity',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: text }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      text: bytes.toString(),
      sentBytes: Buffer.byteLength(text ?? ''),
      bytes: bytes.length,
    };
  }

  /**
   * Sends a request of the preparation.
   * @returns `data` of the response
   * @throws Error if it is not accepted
   */
  async prepare<T>(method: string, path: string, body: unknown): Promise<T> {
    const { status, text } = await this.send({ method, path, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${text.slice(0, 500)}`);
    return (JSON.parse(text) as { data: T }).data;
  }
}
