import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { packageDirectory } from '../process/package-directory';
import { Metrics } from './metrics';

/** Shows which release this is, on which Node. */
@Injectable()
export class BuildMetrics {
  constructor(metrics: Metrics) {
    const labels = { version: readVersion(), node: process.versions.node };
    metrics.gauges('build_info', 'Always 1; the labels tell.', ['version', 'node'], () => [
      [labels, 1],
    ]);
  }
}

/** No reason not to start: where only what was built is there, nothing says it. */
function readVersion(): string {
  try {
    const text = readFileSync(join(packageDirectory(), 'package.json'), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return 'unknown';
  }
}
