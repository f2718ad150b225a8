import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Metrics } from './metrics';

/** From src/platform/metrics, and from where that is built to. */
const PLACES = ['../../../package.json', '../../../../package.json'];

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

function readVersion(): string {
  for (const place of PLACES) {
    try {
      const { version } = JSON.parse(readFileSync(join(__dirname, place), 'utf8')) as {
        version: string;
      };
      return version;
    } catch {
      continue;
    }
  }
  return 'unknown';
}
