import type { Metrics } from '../metrics/metrics';
import type { Load } from './load';

/** Shows how much is worked on, and what was refused for that: no route's metrics have it. */
export function showLoad(metrics: Metrics, load: Load): void {
  metrics.gauge('work_under_way', 'Requests that are worked on.', () => load.state.underWay);
  metrics.gauge('work_limit', 'Requests that may be worked on now.', () => load.state.bound);
  const rejected = 'Requests answered by 429 because their account had its share at work.';
  metrics.counters('account_work_rejected_total', rejected, [], () => [
    [{}, load.state.rejectedForAccount],
  ]);
  const help = 'Requests answered by 503 at once, since there was too much to do.';
  metrics.counters('shed_requests_total', help, [], () => [[{}, load.state.refused]]);
}
