import { call } from '../workers/supervisor';
import { clockMs, Windows } from './rate-counter';
import type { CountedLimit, SharedCount } from './shared-counts';

/** Hits of a worker, by limit. */
interface CountRequest extends Omit<CountedLimit, 'limit'> {
  readonly hits: readonly InstanceHits[];
}

/** Hits of one name. */
export interface InstanceHits {
  readonly name: string;
  readonly net: number;
  /** State that the worker knows from Redis, which has just become unavailable. */
  readonly known: SharedCount | null;
}

/** Workers count their hits at their supervisor. The response has the states in the same order. */
export const COUNT = call<readonly CountRequest[], readonly (readonly SharedCount[])[]>('count');

interface Window {
  /** Highest count of Redis that a worker knew when Redis became unavailable. */
  ofRedis: number;
  /** Hits that were counted here. */
  added: number;
  readonly endsAtMs: number;
}

/** Counts the hits of all workers of an instance, in their supervisor. */
export class InstanceCounts {
  private readonly policies = new Map<string, Windows<Window>>();

  /** Counts hits of a worker. */
  count(requests: readonly CountRequest[]): SharedCount[][] {
    const nowMs = clockMs();
    return requests.map((request) => request.hits.map((hits) => this.add(request, hits, nowMs)));
  }

  private add(
    { policy, windowSeconds }: CountRequest,
    { name, net, known }: InstanceHits,
    nowMs: number,
  ): SharedCount {
    const window = this.windowsOf(policy, windowSeconds).get(name, nowMs, () => ({
      ofRedis: 0,
      added: 0,
      endsAtMs: nowMs + (known?.endsInMs ?? windowSeconds * 1000),
    }));
    window.ofRedis = Math.max(window.ofRedis, known?.count ?? 0);
    // Hits that are taken back may belong to the previous window.
    window.added = Math.max(-window.ofRedis, window.added + net);
    return { count: window.ofRedis + window.added, endsInMs: window.endsAtMs - nowMs };
  }

  private windowsOf(policy: string, windowSeconds: number): Windows<Window> {
    let windows = this.policies.get(policy);
    if (!windows) {
      windows = new Windows<Window>(windowSeconds, ({ endsAtMs }, nowMs) => endsAtMs <= nowMs);
      this.policies.set(policy, windows);
    }
    return windows;
  }
}
