import { Agent, request } from 'node:http';

/** What came of one request; times in ms. */
export interface Reply {
  /** 0 where no answer came. */
  readonly status: number;
  readonly tookMs: number;
  /** On `performance`'s clock. */
  readonly endedAtMs: number;
}

interface LoadOptions {
  readonly url: string;
  readonly key: string;
  readonly forMs: number;
  /** Connections at the most. */
  readonly connections: number;
}

export interface OpenLoadOptions extends LoadOptions {
  readonly requestsPerSecond: number;
}

/** Keeps all connections busy, each with one request at a time. */
export async function closedLoad(options: LoadOptions): Promise<readonly Reply[]> {
  const { url, key, forMs, connections } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization: `Bearer ${key}` };
  const replies: Reply[] = [];
  const untilMs = performance.now() + forMs;
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) replies.push(await ask(url, agent, headers));
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return replies;
}

const TICK_MS = 10;

/**
 * Sends so many requests a second, whether they are answered or not, as the outside does.
 * @returns what came of all of them.
 */
export async function openLoad(options: OpenLoadOptions): Promise<readonly Reply[]> {
  const { url, key, requestsPerSecond, forMs, connections } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization: `Bearer ${key}` };
  const replies: Promise<Reply>[] = [];
  const beganAtMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passedMs = Math.min(performance.now() - beganAtMs, forMs);
      const due = Math.floor((passedMs * requestsPerSecond) / 1000);
      while (replies.length < due) replies.push(ask(url, agent, headers));
      if (passedMs < forMs) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const all = await Promise.all(replies);
  agent.destroy();
  return all;
}

function ask(url: string, agent: Agent, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve) => {
    // From when it has a connection: waiting for one is no work of the service's.
    let sentAtMs = performance.now();
    const end = (status: number): void => {
      const endedAtMs = performance.now();
      resolve({ status, tookMs: endedAtMs - sentAtMs, endedAtMs });
    };
    const sent = request(url, { agent, headers }, (response) => {
      response.resume().once('end', () => {
        end(response.statusCode ?? 0);
      });
      response.once('error', () => {
        end(0);
      });
    });
    sent.once('socket', () => (sentAtMs = performance.now()));
    sent.once('error', () => {
      end(0);
    });
    sent.end();
  });
}
