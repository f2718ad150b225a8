import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { endsWithin } from '../time/ends-within';
import { call, type Channel } from '../workers/supervisor';

type WorkerMetric = MetricObjectWithValues<MetricValue<string>>;

/** A supervisor reads the metrics of a worker. */
export const READ_METRICS = call<null, readonly WorkerMetric[]>('read-metrics');

const RESPONSE_MS = 2_000;

/** A worker, as far as its metrics are concerned. */
interface MeasuredWorker {
  readonly id: number;
  readonly channel: Channel;
}

/**
 * Metrics of all workers of an instance together: the sum of each, except for the delay of the event
 * loop, of which the highest counts. Counters keep what workers that have ended had counted, because
 * Prometheus takes a lower value for a restart of the whole instance.
 */
export class WorkerMetrics {
  /** Of workers that run, as they were read last. */
  private readonly last = new Map<number, readonly WorkerMetric[]>();
  /** Counters and histograms of workers that have ended: a sum, and those to add to it. */
  private ended: readonly (readonly WorkerMetric[])[] = [];
  private adding: Promise<void> = Promise.resolve();

  /** @param responseMs Time in which a worker must respond. Otherwise its last metrics count. */
  constructor(private readonly responseMs = RESPONSE_MS) {}

  /**
   * Reads and prints the metrics.
   * @param own Metrics of the supervisor.
   */
  async print(workers: readonly MeasuredWorker[], own: Registry): Promise<string> {
    await Promise.all(workers.map((worker) => this.read(worker)));
    const ofSupervisor = await own.getMetricsAsJSON();
    return aggregate([...this.last.values(), ...this.ended, ofSupervisor]).metrics();
  }

  /** Keeps the counters of a worker that has ended. */
  end(worker: number): void {
    const counters = this.last.get(worker)?.filter(({ type }) => isCounter(String(type)));
    this.last.delete(worker);
    if (!counters) return;
    this.ended = [...this.ended, counters];
    this.adding = this.adding.then(() => this.addUp());
  }

  private async addUp(): Promise<void> {
    const parts = this.ended;
    const sum = await aggregate(parts).getMetricsAsJSON();
    this.ended = [sum, ...this.ended.slice(parts.length)];
  }

  private async read({ id, channel }: MeasuredWorker): Promise<void> {
    // Without an answer, the worker is busy, or has not started.
    const reading = channel.call(READ_METRICS, null).then((metrics) => {
      if (isList(metrics)) this.last.set(id, metrics);
    });
    await endsWithin(reading, this.responseMs).catch(() => undefined);
  }
}

/** A worker that is starting has no metrics yet. */
function isList(metrics: readonly WorkerMetric[] | undefined): metrics is readonly WorkerMetric[] {
  return metrics !== undefined;
}

function isCounter(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}

function aggregate(metrics: readonly (readonly WorkerMetric[])[]): Registry {
  const adapted = metrics.map((each) => each.map(withAggregator));
  return AggregatorRegistry.aggregate(adapted);
}

/** Sets how the values of several processes become one. */
function withAggregator(metric: WorkerMetric): WorkerMetric {
  const { name } = metric;
  if (/^nodejs_eventloop_lag_(?!min)/.test(name)) return { ...metric, aggregator: 'max' };
  if (name === 'process_start_time_seconds') return { ...metric, aggregator: 'min' };
  if (name === 'datagrid_redis_up') return { ...metric, aggregator: 'min' };
  if (/^datagrid_(build_info|database_replica_age_seconds)$/.test(name)) {
    return { ...metric, aggregator: 'max' };
  }
  return metric;
}
