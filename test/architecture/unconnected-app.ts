import 'reflect-metadata';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../src/create-application';
import { readConfig } from '../../src/platform/config/app-config';
import { RouteTable, type Route } from '../../src/platform/http/route-table';
import { createLogger } from '../../src/platform/logging/logger';

/** Creates the real application without starting it or connecting to a database. */
function unconnectedApp(): Promise<NestExpressApplication> {
  const logger = createLogger({ logLevel: 'silent' });
  return createApplication(readConfig({}), 'postgres://nowhere', logger);
}

export async function allRoutes(): Promise<Route[]> {
  return (await unconnectedApp()).get(RouteTable, { strict: false }).all();
}

/** Returns the name of a route, such as `GET /health/live`. */
export const named = ({ method, path }: Route): string => `${method} ${path}`;
