import { Agent, request } from 'node:http';
import { setImmediate as turnOfEvents, setTimeout as delay } from 'node:timers/promises';
import { API } from '../../support/api-client';

/** A request below the public API's base path. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** What came of a call; times on `performance`'s clock. */
export interface CallResult {
  readonly call: Call;
  readonly client: number;
  /** 0 where no answer came: the connection broke, or the client's patience was over. */
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
  readonly sentAtMs: number;
  readonly tookMs: number;
}

export interface LoaderOptions {
  /** Client `n` begins with origin `n`, and turns to the next one where one gives no answer. */
  readonly origins: readonly string[];
  readonly key: string;
  readonly clients: number;
  /** What a client sends next, after what came last; undefined: it is done. */
  readonly next: (client: number, last: CallResult | undefined) => Call | undefined;
  /** After which a client gives up; longer than any answer may take. */
  readonly patienceMs?: number;
  /** false: answers are counted, and not kept. */
  readonly keepsResults?: boolean;
}

const PATIENCE_MS = 30_000;
/** So that a client to whom nobody answers, or that is refused, does not burn the machine. */
const AFTER_FAILURE_MS = 20;

/** Many keep-alive clients, each with one call at a time, of which every answer is kept. */
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

  /** Stops what a test that failed has left; it would go on for ever. */
  static stopAll(): void {
    for (const loader of Loader.all) loader.isStopped = true;
  }

  /** Waits until every client is done. */
  async done(): Promise<readonly CallResult[]> {
    await this.ended;
    return this.results;
  }

  /** Lets what is in progress come to its end, and sends nothing more. */
  async stop(): Promise<readonly CallResult[]> {
    this.isStopped = true;
    return this.done();
  }

  /** How many answers with that status have come. */
  count(status: number): number {
    return this.counts.get(status) ?? 0;
  }

  private async run(client: number): Promise<void> {
    // Not before whoever makes the loader has it: `next` may ask it.
    await turnOfEvents();
    const { origins, key, next, patienceMs = PATIENCE_MS, keepsResults = true } = this.options;
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
