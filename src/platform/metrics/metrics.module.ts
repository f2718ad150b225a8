import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Global, Injectable, Module } from '@nestjs/common';
import { packageDirectory } from '../process/package-directory';
import { DatabaseStateRepository } from '../database/database-state.repository';
import { DatabaseMetrics } from './database-metrics';
import { Metrics } from './metrics';
import { MetricsServer } from './metrics-server';
import { PoolMetrics } from './pool-metrics';
import { RequestMetrics } from './request-metrics';

/** Metric with the version of the service and of Node. */
@Injectable()
class BuildMetrics {
  constructor(metrics: Metrics) {
    const labels = { version: readVersion(), node: process.versions.node };
    metrics.gauges(
      'build_info',
      'Version of the service and of Node. Always 1.',
      ['version', 'node'],
      () => [[labels, 1]],
    );
  }
}

/**
 * Returns the version of the package. A missing package.json, as in a build alone, must not prevent
 * the start.
 */
function readVersion(): string {
  try {
    const text = readFileSync(join(packageDirectory(), 'package.json'), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return 'unknown';
  }
}

/** Metrics for Prometheus. Global, because features register their own metrics. */
@Global()
@Module({
  providers: [
    Metrics,
    RequestMetrics,
    PoolMetrics,
    DatabaseStateRepository,
    DatabaseMetrics,
    BuildMetrics,
    MetricsServer,
  ],
  exports: [Metrics],
})
export class MetricsModule {}
