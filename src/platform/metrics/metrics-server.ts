import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { AppConfig } from '../config/app-config';
import { Logger } from '../logging/logger';
import { listen } from '../process/listen';
import { Metrics } from './metrics';

const PATH = '/metrics';

/**
 * Serves `GET /metrics` and nothing else on METRICS_PORT, if that is set. API clients need not reach this
 * port. Continues while the service drains.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {}

  /** @throws OperatorError if the port or host is unavailable. */
  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsHost, host } = this.config;
    if (metricsPort === undefined) return;
    collectDefaultMetrics({ register: this.metrics.registry });
    this.server = createServer((request, response) => void this.handle(request, response));
    const names = { port: 'METRICS_PORT', host: 'METRICS_HOST' };
    const origin = await listen(this.server, metricsPort, metricsHost ?? host, names);
    this.logger.pino.info({ url: origin + PATH }, 'metrics listening');
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.server?.listening !== true) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (path !== PATH) reject(response, 404);
    else if (request.method !== 'GET') reject(response.setHeader('Allow', 'GET'), 405);
    else await this.sendMetrics(response);
  }

  private async sendMetrics(response: ServerResponse): Promise<void> {
    try {
      const text = await this.metrics.registry.metrics();
      response.setHeader('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE);
      response.end(text);
    } catch (err) {
      this.logger.pino.error({ err }, 'metrics read failed');
      reject(response, 500);
    }
  }
}

function reject(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}
