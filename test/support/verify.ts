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

const databaseOf = (app: TestApp): Database => app.nest.get(Database, { strict: false });

function verifierFor(app: TestApp, datagrids: DatagridListRepository): VerifyService {
  const database = databaseOf(app);
  return new VerifyService(
    database,
    datagrids,
    new CounterCheckRepository(database),
    new ChangeLogCheckRepository(database),
    new GapCheckRepository(database),
    new UniqueCheckRepository(database),
    new IndexCheckRepository(database),
    new LinkCheckRepository(database),
  );
}

/** Lists the datagrids of some accounts. */
class OwnDatagrids extends DatagridListRepository {
  constructor(
    private readonly app: TestApp,
    private readonly accountIds: readonly string[],
  ) {
    super(databaseOf(app));
  }

  override async *ids(): AsyncGenerator<string> {
    const { rows } = await this.app.sql.query<{ id: string }>(
      `SELECT d.id FROM datagrids d JOIN workspaces w ON w.id = d.workspace_id
       WHERE w.account_id = ANY($1) ORDER BY d.id`,
      [this.accountIds],
    );
    for (const { id } of rows) yield await Promise.resolve(id);
  }

  override orphans(): Promise<[]> {
    return Promise.resolve([]);
  }
}

/**
 * Returns a service that verifies an instance's datagrids as the operators' command does.
 * @param accountIds Accounts whose datagrids are verified. Default: those of the file if the instance is
 *   shared, and otherwise all.
 */
export function verifierOf(
  app: TestApp,
  accountIds: readonly string[] | null = app.isShared ? app.accountIds : null,
): VerifyService {
  return verifierFor(
    app,
    accountIds ? new OwnDatagrids(app, accountIds) : new DatagridListRepository(databaseOf(app)),
  );
}

/**
 * Returns the problems with the counters, change log, gaps, unique values, indexes and links of an instance's
 * datagrids.
 * @param accountIds As for `verifierOf`.
 */
export async function problemsOf(
  app: TestApp,
  accountIds?: readonly string[] | null,
): Promise<readonly Problem[]> {
  return (await verifierOf(app, accountIds).verify(false)).problems;
}
