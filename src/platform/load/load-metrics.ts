import type { Metrics } from '../metrics/metrics';
import type { Load } from './load';

/** Shows what was refused for load: it is no request of any route's, and counted nowhere else. */
export function showLoad(metrics: Metrics, load: Load): void {
  const help = 'Requests answered by 503 at once, since there was too much to do.';
  metrics.counters('shed_requests_total', help, [], () => [[{}, load.refusedCount]]);
}
