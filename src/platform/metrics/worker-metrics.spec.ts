import { connectedWorkers } from '../../../test/support/connected-workers';
import { Metrics } from './metrics';
import { READ_METRICS, WorkerMetrics } from './worker-metrics';

interface Worker {
  readonly metrics: Metrics;
  readonly id: number;
}

function start(
  count: number,
  responseMs?: number,
): {
  readonly workers: Worker[];
  readonly print: (ids?: readonly number[]) => Promise<string[]>;
  readonly all: WorkerMetrics;
} {
  const connected = connectedWorkers(count);
  const workers = connected.map(({ id, supervisor }) => {
    const metrics = new Metrics();
    supervisor.channel.handle(READ_METRICS, () => metrics.registry.getMetricsAsJSON());
    return { id, metrics };
  });
  const all = new WorkerMetrics(responseMs);
  const own = new Metrics();
  own.gauge('workers_ready', 'Workers that serve requests.', () => count);
  return {
    workers,
    all,
    print: async (ids = workers.map(({ id }) => id)) => {
      const running = connected.filter(({ id }) => ids.includes(id));
      return samplesOf(await all.print(running, own.registry));
    },
  };
}

const samplesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('the metrics of several workers', () => {
  it('are the sums of their counters, histograms and gauges, and those of the supervisor', async () => {
    const { workers, print } = start(2);
    for (const { id, metrics } of workers) {
      metrics.counter('a_total', 'A.', ['kind']).inc({ kind: 'x' }, id);
      metrics.gauge('b', 'B.', () => 10 * id);
      metrics.histogram('c_seconds', 'C.', [1]).observe(id);
    }
    expect(await print()).toEqual([
      'datagrid_a_total{kind="x"} 3',
      'datagrid_b 30',
      'datagrid_c_seconds_bucket{le="1"} 1',
      'datagrid_c_seconds_bucket{le="+Inf"} 2',
      'datagrid_c_seconds_sum 3',
      'datagrid_c_seconds_count 2',
      'datagrid_workers_ready 2',
    ]);
  });

  it('have the highest delay of an event loop, and the lowest state of Redis', async () => {
    const { workers, print } = start(2);
    for (const { id, metrics } of workers) {
      metrics.gauge('redis_up', 'Redis.', () => id - 1);
      const name = 'nodejs_eventloop_lag_p99_seconds';
      metrics.registry.registerMetric({
        name,
        get: () =>
          Promise.resolve({
            name,
            help: '',
            type: 'gauge',
            values: [{ value: id, labels: {} }],
            aggregator: 'average',
          }),
      } as never);
    }
    expect(await print()).toEqual([
      'datagrid_redis_up 0',
      'nodejs_eventloop_lag_p99_seconds 2',
      'datagrid_workers_ready 2',
    ]);
  });

  it('keep the counters of workers that have ended, and not their gauges', async () => {
    const { workers, print, all } = start(3);
    for (const { id, metrics } of workers) {
      metrics.counter('a_total', 'A.').inc(id);
      metrics.gauge('b', 'B.', () => id);
      metrics.histogram('c_seconds', 'C.', [1]).observe(0);
    }
    await print();
    all.end(1);
    all.end(2);
    const after = await print([3]);
    expect(after).toContain('datagrid_a_total 6');
    expect(after).toContain('datagrid_b 3');
    expect(after).toContain('datagrid_c_seconds_count 3');
    expect(await print([3])).toEqual(after);
  });

  it('are the last ones of a worker that does not respond', async () => {
    const { workers, print, all } = start(1, 100);
    workers[0]?.metrics.counter('a_total', 'A.').inc(5);
    await print();
    const frozen = { id: 1, channel: { call: () => new Promise(() => undefined) } };
    const text = await all.print([frozen as never], new Metrics().registry);
    expect(samplesOf(text)).toEqual(['datagrid_a_total 5']);
  });
});
