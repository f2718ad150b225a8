import 'reflect-metadata';
import { openSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createApplication } from '../src/create-application';
import { configFromEnvironment } from '../src/platform/config/environment';
import { createLogger, logDestination } from '../src/platform/logging/logger';
import { limitHeapGrowth } from '../src/platform/process/heap-growth';

/** The service with everything on; its log goes to a file, and its port to the parent. */
async function main(): Promise<void> {
  limitHeapGrowth();
  const config = configFromEnvironment();
  const fd = openSync(process.env['BENCH_LOG'] ?? '/dev/null', 'a');
  const logger = createLogger(config, logDestination(fd));
  const app = await createApplication(config, config.databaseUrl ?? '', logger);
  await app.listen(0, '127.0.0.1');
  process.send?.((app.getHttpServer().address() as AddressInfo).port);
}

void main();
