import { Database } from '../../src/platform/database/database';
import { CounterCheckRepository } from '../../src/rows/verify/counter-check.repository';
import { DatagridListRepository } from '../../src/rows/verify/datagrid-list.repository';
import { GapCheckRepository } from '../../src/rows/verify/gap-check.repository';
import { IndexCheckRepository } from '../../src/rows/verify/index-check.repository';
import { UniqueCheckRepository } from '../../src/rows/verify/unique-check.repository';
import type { Problem } from '../../src/rows/verify/problem';
import { VerifyService } from '../../src/rows/verify/verify.service';
import type { TestApp } from './test-app';

/** Returns a service that verifies an instance's datagrids as the operators' command does. */
export function verifierOf(app: TestApp): VerifyService {
  const database = app.nest.get(Database, { strict: false });
  return new VerifyService(
    database,
    new DatagridListRepository(database),
    new CounterCheckRepository(database),
    new GapCheckRepository(database),
    new UniqueCheckRepository(database),
    new IndexCheckRepository(database),
  );
}

/**
 * Returns the problems with the counters, gaps, unique values and indexes of an instance's
 * datagrids.
 */
export async function problemsOf(app: TestApp): Promise<readonly Problem[]> {
  return (await verifierOf(app).verify(false)).problems;
}
