import { Injectable } from '@nestjs/common';
import type { Metric, MetricValueWithName } from 'prom-client';
import { METRIC_PREFIX, Metrics } from './metrics';

/** Route label of requests that were rejected before they reached a route. */
const NO_ROUTE = 'none';

const DURATION = `${METRIC_PREFIX}http_request_duration_seconds`;

const BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/** Counts of the requests of one method and route. */
interface RouteCount {
  readonly byStatus: Map<number, number>;
  /**
   * Requests per bucket: longer than the previous bound, at most this bound. The last has no bound.
   */
  readonly byBound: Float64Array;
  sumMs: number;
}

type Label = 'method' | 'route';
type Value = MetricValueWithName<Label | 'le'>;

/**
 * Returns the parts of a histogram that a registry reads. The library's own histogram costs each
 * request a microsecond.
 */
function histogram(name: string, help: string, read: () => Value[]): Metric {
  const get = (): Promise<object> =>
    Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: read() });
  return { name, get } as unknown as Metric;
}

/**
 * Counts requests by method, route pattern and status, and measures their duration. Each request
 * costs two lookups and two increments.
 */
@Injectable()
export class RequestMetrics {
  private readonly methods = new Map<string, Map<string, RouteCount>>();

  constructor(metrics: Metrics) {
    const help =
      'Duration of requests, until the response was sent or the client disconnected, without waits for changes.';
    metrics.registry.registerMetric(histogram(DURATION, help, () => this.durations()));
    const labels = ['method', 'route', 'status'] as const;
    metrics.counters('http_requests_total', 'Finished requests.', labels, () => this.requests());
  }

  /**
   * Counts a finished request.
   * @param route Pattern of its route, as in the log.
   * @param durationMs Its duration without waits for changes.
   */
  observe(method: string, route: string | undefined, status: number, durationMs: number): void {
    const count = this.countOf(method, route ?? NO_ROUTE);
    count.byStatus.set(status, (count.byStatus.get(status) ?? 0) + 1);
    count.sumMs += durationMs;
    let bound = 0;
    while (durationMs > (BOUNDS_MS[bound] ?? Infinity)) bound += 1;
    count.byBound[bound] = (count.byBound[bound] ?? 0) + 1;
  }

  private countOf(method: string, route: string): RouteCount {
    let routes = this.methods.get(method);
    if (!routes) {
      routes = new Map<string, RouteCount>();
      this.methods.set(method, routes);
    }
    let count = routes.get(route);
    if (!count) {
      const byBound = new Float64Array(BOUNDS_MS.length + 1);
      count = { byStatus: new Map(), byBound, sumMs: 0 };
      routes.set(route, count);
    }
    return count;
  }

  private *routes(): Generator<[Record<Label, string>, RouteCount]> {
    for (const [method, routes] of this.methods) {
      for (const [route, count] of routes) yield [{ method, route }, count];
    }
  }

  private *requests(): Generator<[Record<Label | 'status', string | number>, number]> {
    for (const [labels, { byStatus }] of this.routes()) {
      for (const [status, count] of byStatus) yield [{ ...labels, status }, count];
    }
  }

  private durations(): Value[] {
    return [...this.routes()].flatMap(([labels, { byBound, sumMs }]) => {
      let total = 0;
      const buckets = [...byBound].map((count, index): Value => {
        total += count;
        const le = BOUNDS_SECONDS[index] ?? '+Inf';
        return { metricName: `${DURATION}_bucket`, labels: { ...labels, le }, value: total };
      });
      return [
        ...buckets,
        { metricName: `${DURATION}_sum`, labels, value: sumMs / 1000 },
        { metricName: `${DURATION}_count`, labels, value: total },
      ];
    });
  }
}
