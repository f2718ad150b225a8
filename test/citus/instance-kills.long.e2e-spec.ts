import { testKilledInstances } from '../faults/support/killed-instances';
import { describeCitus } from '../support/citus-cluster';
import { createTestDatabase } from '../support/test-database';

jest.setTimeout(600_000);

describeCitus('two instances on a Citus cluster', () => {
  testKilledInstances(2, async () => {
    const database = await createTestDatabase();
    return { url: database.url, close: () => database.drop() };
  });
});
