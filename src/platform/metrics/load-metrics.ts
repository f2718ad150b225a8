import type { Metrics } from './metrics';
import type { RequestLimiter } from '../load/load';

/** Client connections of this process. */
export interface ConnectionState {
  readonly open: number;
  readonly limit: number;
  /** Idle connections closed to make room. */
  readonly closed: number;
  /** New connections rejected because none was idle. */
  readonly rejected: number;
}

/** Registers metrics of requests in progress, rejections and connections. */
export function registerLoadMetrics(
  metrics: Metrics,
  load: RequestLimiter,
  connections: { readonly state: ConnectionState },
): void {
  metrics.gauge('connections_open', 'Open client connections.', () => connections.state.open);
  const limit = 'Maximum number of client connections.';
  metrics.gauge('connections_limit', limit, () => connections.state.limit);
  const closed = 'Idle client connections closed to make room, and new ones rejected.';
  metrics.counters('connections_closed_total', closed, ['reason'], () => [
    [{ reason: 'idle' }, connections.state.closed],
    [{ reason: 'rejected' }, connections.state.rejected],
  ]);
  metrics.gauge('requests_in_progress', 'Requests in progress.', () => load.state.inProgress);
  const shareLimit =
    'Current limit of requests in progress, from which shares of accounts are derived.';
  metrics.gauge('requests_in_progress_limit', shareLimit, () => load.state.shareLimit);
  const rejected =
    'Requests rejected with 429 because the account reached its share of requests in progress.';
  metrics.counters('account_rejected_requests_total', rejected, [], () => [
    [{}, load.state.rejectedForAccount],
  ]);
  const anonymous =
    'Requests without a caller rejected because they reached their share of requests in progress.';
  metrics.counters('public_rejected_requests_total', anonymous, [], () => [
    [{}, load.state.rejectedAnonymous],
  ]);
  const help = 'Requests rejected with 503 because the server was overloaded.';
  metrics.counters('overload_rejected_requests_total', help, [], () => [[{}, load.state.rejected]]);
}
