import { Database } from '../../src/platform/database/database';
import { ChangeLogCheckRepository } from '../../src/verification/change-log-check.repository';
import { CounterCheckRepository } from '../../src/verification/counter-check.repository';
import { DatagridListRepository } from '../../src/verification/datagrid-list.repository';
import { GapCheckRepository } from '../../src/verification/gap-check.repository';
import { IndexCheckRepository } from '../../src/verification/index-check.repository';
import { LinkCheckRepository } from '../../src/verification/link-check.repository';
import { UniqueCheckRepository } from '../../src/verification/unique-check.repository';
import type { Problem } from '../../src/verification/problem';
import { VerifyService } from '../../src/verification/verify.service';
import type { TestApp } from './test-app';

/** Returns a service that verifies an instance's datagrids as the operators' command does. */
export function verifierOf(app: TestApp): VerifyService {
  const database = app.nest.get(Database, { strict: false });
  return new VerifyService(
    database,
    new DatagridListRepository(database),
    new CounterCheckRepository(database),
    new ChangeLogCheckRepository(database),
    new GapCheckRepository(database),
    new UniqueCheckRepository(database),
    new IndexCheckRepository(database),
    new LinkCheckRepository(database),
  );
}

/**
 * Returns the problems with the counters, change log, gaps, unique values, indexes and links of an instance's
 * datagrids.
 */
export async function problemsOf(app: TestApp): Promise<readonly Problem[]> {
  return (await verifierOf(app).verify(false)).problems;
}
