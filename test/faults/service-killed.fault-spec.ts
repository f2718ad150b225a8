import { createTestDatabase } from '../support/test-database';
import { testKilledInstances } from './support/killed-instances';

describe('three instances on one PostgreSQL', () => {
  testKilledInstances(3, async () => {
    const database = await createTestDatabase();
    return { url: database.url, close: () => database.drop() };
  });
});
