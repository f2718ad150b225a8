import { testKilledInstances } from './support/killed-instances';
import { PostgresServer } from './support/postgres-server';

describe('three instances on one PostgreSQL', () => {
  testKilledInstances(3, async () => {
    const postgres = await PostgresServer.start();
    return { url: postgres.url, close: () => postgres.remove() };
  });
});
