import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import type { AppConfig } from '../config/app-config';
import type { Logger } from '../logging/logger';
import { listen } from '../process/listen';

const PATH = '/metrics';

/**
 * Serves `GET /metrics` and nothing else, on its own port, which need not be reachable by API
 * clients.
 */
export class MetricsEndpoint {
  private server: Server | undefined;

  /** @param read Returns the text of the metrics. */
  constructor(
    private readonly logger: Logger,
    private readonly read: () => Promise<string>,
  ) {}

  /**
   * Starts to listen, if METRICS_PORT is set.
   * @throws OperatorError if the port or host is unavailable.
   */
  async start({ metricsPort, metricsHost, host }: AppConfig): Promise<void> {
    if (metricsPort === undefined) return;
    this.server = createServer((request, response) => void this.response(request, response));
    const names = { port: 'METRICS_PORT', host: 'METRICS_HOST' };
    const origin = await listen(this.server, metricsPort, metricsHost ?? host, names);
    this.logger.pino.info({ url: origin + PATH }, 'metrics listening');
  }

  async stop(): Promise<void> {
    if (this.server?.listening !== true) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (path !== PATH) reject(response, 404);
    else if (request.method !== 'GET') reject(response.setHeader('Allow', 'GET'), 405);
    else await this.print(response);
  }

  private async print(response: ServerResponse): Promise<void> {
    try {
      const text = await this.read();
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
