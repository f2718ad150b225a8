import 'reflect-metadata';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../src/create-application';
import { readConfig } from '../../src/platform/config/app-config';
import { RouteTable, type Route } from '../../src/platform/http/route-table';
import { createLogger } from '../../src/platform/logging/logger';

/** The real application, put together and not started: it has no database. */
function unconnectedApp(): Promise<NestExpressApplication> {
  const logger = createLogger({ logLevel: 'silent' });
  return createApplication(readConfig({}), 'postgres://nowhere', logger);
}

export async function allRoutes(): Promise<Route[]> {
  return (await unconnectedApp()).get(RouteTable, { strict: false }).all();
}

/** Such as `GET /health/live`. */
export const named = ({ method, path }: Route): string => `${method} ${path}`;
