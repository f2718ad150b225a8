import { Database } from '../../src/platform/database/database';
import { CounterCheckRepository } from '../../src/rows/verify/counter-check.repository';
import { DatagridListRepository } from '../../src/rows/verify/datagrid-list.repository';
import { GapCheckRepository } from '../../src/rows/verify/gap-check.repository';
import { UniqueCheckRepository } from '../../src/rows/verify/unique-check.repository';
import type { Problem } from '../../src/rows/verify/problem';
import { VerifyService } from '../../src/rows/verify/verify.service';
import type { TestApp } from './test-app';

/** What is wrong with the counters, gaps and unique values of an instance's datagrids. */
export async function problemsOf(app: TestApp): Promise<readonly Problem[]> {
  const database = app.nest.get(Database);
  const service = new VerifyService(
    database,
    new DatagridListRepository(database),
    new CounterCheckRepository(database),
    new GapCheckRepository(database),
    new UniqueCheckRepository(database),
  );
  return (await service.verify(false)).problems;
}
