import { Agent, request } from 'node:http';
import { setImmediate as turnOfEvents, setTimeout as delay } from 'node:timers/promises';
import { API } from '../../support/api-client';

/** A request, with its path relative to the base path of the public API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** Outcome of a call. Times are on the clock of `performance`. */
export interface CallResult {
  readonly call: Call;
  readonly client: number;
  /** 0 if there was no response: the connection broke, or the client timed out. */
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
  readonly sentAtMs: number;
  readonly tookMs: number;
}

export interface LoaderOptions {
  /**
   * Client `n` starts with origin `n`, and switches to the next one if an origin does not respond.
   */
  readonly origins: readonly string[];
  readonly key: string;
  readonly clients: number;
  /** Returns the client's next call, given its last result; undefined ends the client. */
  readonly next: (client: number, last: CallResult | undefined) => Call | undefined;
  /** Time after which a client gives up. Longer than any response may take. */
  readonly patienceMs?: number;
  /** Time between a response and the next call of a client. Leaves the machine to instances that start. */
  readonly pauseMs?: number;
  /** If false, responses are counted but not stored. */
  readonly keepsResults?: boolean;
}

const PATIENCE_MS = 100_000;
/** Prevents a busy loop of clients that get no response or are rejected. */
const AFTER_FAILURE_MS = 20;

/** Runs many keep-alive clients with one call at a time each, and keeps every response. */
export class Loader {
  readonly results: CallResult[] = [];
  private static readonly all: Loader[] = [];
  private readonly counts = new Map<number, number>();
  private isStopped = false;
  private readonly ended: Promise<unknown>;

  constructor(private readonly options: LoaderOptions) {
    const clients = Array.from({ length: options.clients }, (_, index) => this.run(index));
    this.ended = Promise.all(clients);
    Loader.all.push(this);
  }

  /** Stops the loaders of a failed test, which would otherwise never end. */
  static stopAll(): void {
    for (const loader of Loader.all) loader.isStopped = true;
  }

  /** Waits until every client is done. */
  async done(): Promise<readonly CallResult[]> {
    await this.ended;
    return this.results;
  }

  /** Waits for calls in progress and sends no more. */
  async stop(): Promise<readonly CallResult[]> {
    this.isStopped = true;
    return this.done();
  }

  /** Returns the number of responses with this status. */
  count(status: number): number {
    return this.counts.get(status) ?? 0;
  }

  private async run(client: number): Promise<void> {
    // Waits until the constructor's caller has its result, which `next` may use.
    await turnOfEvents();
    const { origins, key, next, pauseMs = 0, patienceMs = PATIENCE_MS } = this.options;
    const { keepsResults = true } = this.options;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let turn = client;
    let result: CallResult | undefined;
    while (!this.isStopped) {
      const call = next(client, result);
      if (!call) break;
      const origin = origins[turn % origins.length] ?? '';
      result = await send({ origin, key, agent, client, call, patienceMs });
      if (keepsResults) this.results.push(result);
      this.counts.set(result.status, this.count(result.status) + 1);
      if (result.status === 0) turn += 1;
      if (result.status === 0 || result.status === 503) await delay(AFTER_FAILURE_MS);
      else if (pauseMs > 0) await delay(pauseMs);
    }
    agent.destroy();
  }
}

interface Sending {
  readonly origin: string;
  readonly key: string;
  readonly agent: Agent;
  readonly client: number;
  readonly call: Call;
  readonly patienceMs: number;
}

function send({ origin, key, agent, client, call, patienceMs }: Sending): Promise<CallResult> {
  const sentAtMs = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text: string, retryAfter?: string): void => {
      const tookMs = performance.now() - sentAtMs;
      resolve({ call, client, status, retryAfter, text, sentAtMs, tookMs });
    };
    const body = call.body && JSON.stringify(call.body);
    const sent = request(`${origin}${API}${call.path}`, {
      method: call.method,
      agent,
      signal: AbortSignal.timeout(patienceMs),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...call.headers,
      },
    });
    sent.on('error', (error) => {
      end(0, error.message);
    });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', (error) => {
        end(0, error.message);
      });
      response.on('end', () => {
        end(response.statusCode ?? 0, text, response.headers['retry-after']);
      });
    });
    sent.end(body);
  });
}
