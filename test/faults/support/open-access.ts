import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API } from '../../support/api-client';
import { CONSOLE, sessionHeaders } from '../../support/console-client';
import { sendMessage } from '../../support/mcp-client';

/** What a person uses the service with. */
export interface Credential {
  readonly name: string;
  readonly kind: 'key' | 'session' | 'mcp';
  /** The key, or the token of the session or of an application. */
  readonly secret: string;
}

/** Result of a request. Times are on the clock of `performance`. */
export interface Asked {
  /** 0 if there was no response. */
  readonly status: number;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
}

/** Leaves the machine to instances that start. */
const PAUSE_MS = 20;
const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const isRejection = (status: number): boolean => status === 401 || status === 403;

/** Returns the URL of a path of the API, and the headers that a credential needs there. */
function placeOf(
  { kind, secret }: Credential,
  origin: string,
  path: string,
): readonly [url: string, headers: Record<string, string>] {
  if (kind === 'session') return [`${origin}${CONSOLE}/data${path}`, sessionHeaders(secret)];
  return [`${origin}${API}${path}`, { authorization: `Bearer ${secret}` }];
}

/** Sends requests with a credential to one instance, one after another, until it is stopped. */
export class Asking {
  readonly results: Asked[] = [];
  private isStopped = false;
  private readonly ended: Promise<void>;

  constructor(
    readonly credential: Credential,
    private readonly origin: string,
    private readonly path: string,
  ) {
    this.ended = this.run();
  }

  get rejection(): Asked | undefined {
    return this.results.find(({ status }) => isRejection(status));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const sentAtMs = performance.now();
      const status = await this.ask().catch(() => 0);
      this.results.push({ status, sentAtMs, endedAtMs: performance.now() });
      await delay(PAUSE_MS);
    }
  }

  private async ask(): Promise<number> {
    const { kind, secret } = this.credential;
    if (kind === 'mcp') return (await sendMessage(this.origin, secret, PING)).status;
    const [url, headers] = placeOf(this.credential, this.origin, this.path);
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.status;
  }
}

/** A response that stays open until the service ends it. */
export class OpenResponse {
  /** 0 if there is none. */
  status = 0;
  text = '';
  /** Whether the response came to its end. If not, it was cut. */
  isComplete = false;
  /** On the clock of `performance`. */
  endedAtMs: number | undefined;
  private response: IncomingMessage | undefined;

  /** @param reads If false, the client reads nothing until `readOn`. */
  constructor(
    readonly credential: Credential,
    { origin, path, accept }: { origin: string; path: string; accept: string },
    private readonly reads: boolean,
  ) {
    const [url, headers] = placeOf(credential, origin, path);
    const request = get(url, { agent: false, headers: { ...headers, accept } });
    const end = (): void => {
      this.endedAtMs ??= performance.now();
      this.isComplete = this.response?.complete === true;
    };
    request.on('error', end).on('response', (response) => {
      this.response = response;
      this.status = response.statusCode ?? 0;
      response.on('error', end).on('close', end);
      if (reads) this.readOn();
    });
  }

  /** Reads the rest. A client that does not read does not notice that it was cut. */
  readOn(): void {
    this.response?.on('data', (chunk: Buffer) => {
      if (this.reads) this.text += String(chunk);
    });
  }

  close(): void {
    this.response?.destroy();
  }
}
