import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { packageDirectory } from '../process/package-directory';
import { Metrics } from './metrics';

/** Metric with the version of the service and of Node. */
@Injectable()
export class BuildMetrics {
  constructor(metrics: Metrics) {
    const labels = { version: readVersion(), node: process.versions.node };
    metrics.gauges('build_info', 'Always 1; the labels tell.', ['version', 'node'], () => [
      [labels, 1],
    ]);
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
