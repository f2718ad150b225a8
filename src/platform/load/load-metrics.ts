import type { Metrics } from '../metrics/metrics';
import type { Load } from './load';

/** Client connections of this process. */
export interface ConnectionState {
  readonly open: number;
  readonly limit: number;
  /** Idle connections that were closed to make room. */
  readonly closed: number;
  /** New connections that were refused since none was idle. */
  readonly refused: number;
}

/** Shows how much is worked on, and what was refused for that: no route's metrics have it. */
export function registerLoadMetrics(
  metrics: Metrics,
  load: Load,
  connections: { readonly state: ConnectionState },
): void {
  metrics.gauge('connections_open', 'Client connections.', () => connections.state.open);
  const limit = 'Client connections that there may be.';
  metrics.gauge('connections_limit', limit, () => connections.state.limit);
  const closed = 'Idle client connections closed to make room, and new ones rejected.';
  metrics.counters('connections_closed_total', closed, ['reason'], () => [
    [{ reason: 'idle' }, connections.state.closed],
    [{ reason: 'rejected' }, connections.state.refused],
  ]);
  metrics.gauge('work_under_way', 'Requests that are worked on.', () => load.state.inProgress);
  metrics.gauge('work_limit', 'Requests that may be worked on now.', () => load.state.bound);
  const rejected = 'Requests answered by 429 because their account had its share at work.';
  metrics.counters('account_work_rejected_total', rejected, [], () => [
    [{}, load.state.rejectedForAccount],
  ]);
  const ofStrangers =
    'Requests without a caller rejected because such requests had their share of the server.';
  metrics.counters('public_work_rejected_total', ofStrangers, [], () => [
    [{}, load.state.rejectedAnonymous],
  ]);
  const help = 'Requests rejected with 503 because the server was overloaded.';
  metrics.counters('shed_requests_total', help, [], () => [[{}, load.state.refused]]);
}
