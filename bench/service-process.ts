import 'reflect-metadata';
import './changes/without-log';
import { openSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createApplication } from '../src/create-application';
import { configFromEnvironment } from '../src/platform/config/app-config';
import { createLogger, LogDestination } from '../src/platform/logging/logger';
import { limitHeapGrowth } from '../src/platform/process/heap-growth';
import { DelayWatch } from './delay-watch';

/** Runs the service with all features, logs to a file, and sends its port to the parent process. */
async function main(): Promise<void> {
  limitHeapGrowth();
  const config = configFromEnvironment();
  const fd = openSync(process.env['BENCH_LOG'] ?? '/dev/null', 'a');
  const logger = createLogger(config, new LogDestination(fd));
  const app = await createApplication(config, config.databaseUrl ?? '', logger);
  await app.listen(0, '127.0.0.1');
  reportDelays();
  process.send?.((app.getHttpServer().address() as AddressInfo).port);
}

/** Replies to each message with the longest delay of the event loop since the previous message. */
function reportDelays(): void {
  const delays = new DelayWatch();
  process.on('message', () => process.send?.(delays.take()));
}

void main();
