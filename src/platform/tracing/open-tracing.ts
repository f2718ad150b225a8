import type { AppConfig } from '../config/app-config';
import type { Tracing } from './tracing';

/** Undefined where traces go nowhere; then nothing that makes them is loaded. */
export async function openTracing({ tracesEndpoint }: AppConfig): Promise<Tracing | undefined> {
  if (tracesEndpoint === undefined) return undefined;
  const { OpenTelemetryTracing } = await import('./open-telemetry.js');
  return new OpenTelemetryTracing(tracesEndpoint);
}
