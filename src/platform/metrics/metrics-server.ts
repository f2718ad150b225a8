import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { AppConfig } from '../config/app-config';
import { Logger } from '../logging/logger';
import { Supervisor } from '../workers/supervisor';
import { Metrics } from './metrics';
import { MetricsEndpoint } from './metrics-endpoint';
import { READ_METRICS } from './worker-metrics';

/**
 * Serves the metrics of this process, or hands them to its supervisor, which serves those of all workers.
 * Continues while the service drains.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly endpoint: MetricsEndpoint;

  constructor(
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    logger: Logger,
    @Inject(Supervisor) private readonly supervisor: Supervisor | null,
  ) {
    this.endpoint = new MetricsEndpoint(logger, () => metrics.registry.metrics());
  }

  /** @throws OperatorError if the port or host is unavailable. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.config.metricsPort === undefined) return;
    const { registry } = this.metrics;
    collectDefaultMetrics({ register: registry });
    if (this.supervisor) {
      this.supervisor.channel.handle(READ_METRICS, () => registry.getMetricsAsJSON());
    } else {
      await this.endpoint.start(this.config);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.endpoint.stop();
  }
}
