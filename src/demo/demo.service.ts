import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountService } from '../auth/account/account.service';
import { ApiKeyService } from '../auth/api-key/api-key.service';
import { PasswordService } from '../auth/password/password.service';
import { UserService } from '../auth/user/user.service';
import { DatagridService } from '../datagrids/datagrid.service';
import type { DatagridDto } from '../datagrids/dto/datagrid.dto';
import { Database } from '../platform/database/database';
import type { WriteResponse } from '../common/envelope/write-response';
import { RowWriteService } from '../rows/write/row-write.service';
import { WorkspaceService } from '../workspaces/workspace.service';
import { AIRPORT_COLUMNS, readAirports } from './airports';
import { DemoRepository } from './demo.repository';

export const DEMO_OWNER = 'demo@example.com';
/** Nobody waits for an answer. */
const NO_RESPONSE: WriteResponse = { isMinimal: true, reserve: () => undefined };
const DATAGRID = 'Airports';
const ROWS_PER_CALL = 1_000;
const FIRST = { page: 1, limit: 1 };

/** What a newcomer needs for a first call. */
export interface DemoAccess {
  /** The owner's key. This is the only time anyone sees it. */
  readonly key: string;
  /** The owner's, for the console. Shown this once, too. */
  readonly password: string;
  readonly datagridId: string;
  readonly rowCount: number;
}

/** A demo account with real data, for an embedded database that nobody has used yet. */
@Injectable()
export class DemoService {
  constructor(
    private readonly database: Database,
    private readonly repository: DemoRepository,
    private readonly accounts: AccountService,
    private readonly users: UserService,
    private readonly keys: ApiKeyService,
    private readonly passwords: PasswordService,
    private readonly workspaces: WorkspaceService,
    private readonly datagrids: DatagridService,
    private readonly rows: RowWriteService,
  ) {}

  /** Makes the demo where there is no account yet: all of it, or nothing where it is interrupted. */
  async prepare(): Promise<void> {
    if (!(await this.accounts.isEmpty())) return;
    const airports = await readAirports();
    await this.once(async () => {
      if (!(await this.accounts.isEmpty())) return;
      const { accountId } = await this.accounts.create('Demo', DEMO_OWNER);
      const datagridId = await this.createDatagrid(accountId);
      for (let from = 0; from < airports.length; from += ROWS_PER_CALL) {
        const rows = airports.slice(from, from + ROWS_PER_CALL).map((values) => ({ values }));
        await this.rows.create(accountId, datagridId, { rows }, NO_RESPONSE);
      }
    });
  }

  /**
   * Makes the first key and the password of the demo's owner; `null` where there has been one, or is no demo. Apart
   * from `prepare`, so that a start that fails in between leaves the key to the next one.
   */
  async firstAccess(): Promise<DemoAccess | null> {
    const password = createPassword();
    let hash: string | undefined;
    return this.once(async () => {
      const owner = (await this.users.listByEmail(DEMO_OWNER))[0]?.user;
      if (!owner || (await this.keys.listOf(owner.id)).length > 0) return null;
      const datagrid = await this.findDatagrid(owner.accountId);
      if (!datagrid) return null;
      const { key } = await this.keys.create(owner.id, 'Demo', null, 'operator');
      hash ??= await this.passwords.hash(password);
      await this.passwords.set(owner.id, hash);
      return { key, password, ...datagrid };
    });
  }

  private async createDatagrid(accountId: string): Promise<string> {
    const { data: workspace } = await this.workspaces.create(
      accountId,
      {
        name: 'Demo',
        description: 'Something to try the API on. Delete it when you are done.',
      },
      'service',
    );
    const { json } = await this.datagrids.create(
      accountId,
      workspace.id,
      {
        name: DATAGRID,
        description: 'Airports of the United States, from the npm package vega-datasets',
        columns: [...AIRPORT_COLUMNS],
      },
      'service',
    );
    return (JSON.parse(json) as DatagridDto).id;
  }

  private async findDatagrid(
    accountId: string,
  ): Promise<Pick<DemoAccess, 'datagridId' | 'rowCount'> | null> {
    const [workspace] = (await this.workspaces.list(accountId, FIRST)).items;
    if (!workspace) return null;
    const [datagrid] = (await this.datagrids.listSummaries(accountId, workspace.id, FIRST)).items;
    if (datagrid?.name !== DATAGRID) return null;
    return { datagridId: datagrid.id, rowCount: datagrid.rowCount };
  }

  private once<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      await this.repository.lock();
      return work();
    });
  }
}

/** Without those that are taken for one another. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Easy to type from a screen: four groups of five, 99 random bits. */
function createPassword(): string {
  const letter = (): string => LETTERS.charAt(randomInt(LETTERS.length));
  const group = (): string => Array.from({ length: 5 }, letter).join('');
  return Array.from({ length: 4 }, group).join('-');
}
