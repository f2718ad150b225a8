import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { AppConfig } from '../config/app-config';
import type { Tracing } from './tracing';

/** Sends the remaining traces when the application shuts down. */
class TracingEnd implements OnApplicationShutdown {
  constructor(private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing.close();
  }
}

@Module({})
export class TracingModule {
  /** @param tracing `undefined` if tracing is off. */
  static of(tracing: Tracing | undefined): DynamicModule {
    const providers = tracing ? [{ provide: TracingEnd, useValue: new TracingEnd(tracing) }] : [];
    return { module: TracingModule, providers };
  }
}

/**
 * Creates the tracing.
 * @returns `undefined` if no endpoint is configured. The OpenTelemetry packages are not loaded
 *   then.
 */
export async function openTracing({
  otelExporterOtlpEndpoint: endpoint,
}: AppConfig): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { OpenTelemetryTracing } = await import('./open-telemetry.js');
  return new OpenTelemetryTracing(endpoint);
}
