import type { AppConfig } from '../config/app-config';
import type { Tracing } from './tracing';

/**
 * Creates the tracing.
 * @returns `undefined` if no endpoint is configured. The OpenTelemetry packages are not loaded
 *   then.
 */
export async function openTracing({ tracesEndpoint }: AppConfig): Promise<Tracing | undefined> {
  if (tracesEndpoint === undefined) return undefined;
  const { OpenTelemetryTracing } = await import('./open-telemetry.js');
  return new OpenTelemetryTracing(tracesEndpoint);
}
