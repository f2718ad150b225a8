import type { Load } from '../load/load';
import type { Metrics } from './metrics';

/** Shows how much is worked on, and how much was refused for that. */
export function showLoad(metrics: Metrics, load: Load): void {
  metrics.gauge('work_under_way', 'Requests that are worked on.', () => load.state.underWay);
  metrics.gauge('work_limit', 'Requests that may be worked on now.', () => load.state.bound);
  const help = 'Requests refused at once, as too many were worked on. No other metric has them.';
  metrics.counters('work_refused_total', help, [], () => [[{}, load.state.refused]]);
}
