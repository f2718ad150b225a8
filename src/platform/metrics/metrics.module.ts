import { Global, Module } from '@nestjs/common';
import { BuildMetrics } from './build-metrics';
import { Metrics } from './metrics';
import { MetricsServer } from './metrics-server';
import { PoolMetrics } from './pool-metrics';
import { RequestMetrics } from './request-metrics';

/** Metrics for Prometheus. Global, because features register their own metrics. */
@Global()
@Module({
  providers: [Metrics, RequestMetrics, PoolMetrics, BuildMetrics, MetricsServer],
  exports: [Metrics],
})
export class MetricsModule {}
