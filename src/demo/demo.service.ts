import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { AccountService } from '../auth/account.service';
import { ApiKeyService } from '../auth/api-key/api-key.service';
import { PasswordService } from '../auth/password/password.service';
import { UserService } from '../auth/user/user.service';
import type { WriteResponse } from '../common/envelope/write-response';
import { authorOf } from '../datagrids/change-log/change-log-sql';
import type { CreateColumnDto } from '../datagrids/column/dto/column.dto';
import { DatagridService } from '../datagrids/datagrid.service';
import { Database } from '../platform/database/database';
import { PUBLIC_API } from '../platform/http/access';
import { Logger } from '../platform/logging/logger';
import { RowWriteService } from '../rows/row-write.service';
import { WorkspaceService } from '../workspaces/workspace.service';
import { DemoRepository } from './demo.repository';

const DEMO_OWNER = 'demo@example.com';
/** Response options of the demo's writes, which return nothing to a client. */
const NO_RESPONSE: WriteResponse = { isMinimal: true, reserve: () => undefined };
const DATAGRID = 'Airports';
const ROWS_PER_CALL = 1_000;
const FIRST = { page: 1, limit: 1 };

/** Credentials and datagrid for a first call of the API. */
interface DemoAccess {
  /** API key of the owner. It is shown only once. */
  readonly key: string;
  /** Password of the owner for the console. It is shown only once. */
  readonly password: string;
  readonly datagridId: string;
  readonly rowCount: number;
}

/** Creates a demo account with real data in a new embedded database. */
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
    private readonly logger: Logger,
  ) {}

  /** Creates the demo, in one transaction, if there is no account yet. */
  async prepare(): Promise<void> {
    if (!(await this.accounts.isEmpty())) return;
    this.logger.pino.info('demo account creation started');
    const airports = await readAirports();
    await this.once(async () => {
      if (!(await this.accounts.isEmpty())) return;
      const { accountId } = await this.accounts.create('Demo', DEMO_OWNER);
      const datagridId = await this.createDatagrid(accountId);
      for (let from = 0; from < airports.length; from += ROWS_PER_CALL) {
        const rows = airports.slice(from, from + ROWS_PER_CALL).map((values) => ({ values }));
        await this.rows.create(
          { accountId, ...authorOf('service') },
          datagridId,
          { rows },
          NO_RESPONSE,
        );
      }
    });
  }

  /**
   * Creates the first key and the password of the demo's owner. Separate from `prepare`, so that if
   * a start fails in between, the next start creates them.
   * @returns `null` if the owner already has a key, or if there is no demo.
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
    const { data } = await this.datagrids.create(
      accountId,
      workspace.id,
      {
        name: DATAGRID,
        description: 'Airports of the United States, from the npm package vega-datasets',
        columns: [...AIRPORT_COLUMNS],
      },
      'service',
    );
    return data.id;
  }

  private async findDatagrid(
    accountId: string,
  ): Promise<Pick<DemoAccess, 'datagridId' | 'rowCount'> | null> {
    const [workspace] = (await this.workspaces.list(accountId, null, FIRST)).data;
    if (!workspace) return null;
    const [datagrid] = (await this.datagrids.listSummaries(accountId, workspace.id, FIRST)).data;
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

/** Characters of passwords, without those that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Returns a password that is easy to type: four groups of five characters, 99 random bits. */
function createPassword(): string {
  const letter = (): string => LETTERS.charAt(randomInt(LETTERS.length));
  const group = (): string => Array.from({ length: 5 }, letter).join('');
  return Array.from({ length: 4 }, group).join('-');
}

/** Columns of the airports of the United States in `vega-datasets`. */
const AIRPORT_COLUMNS: readonly CreateColumnDto[] = [
  { key: 'iata', type: 'text', title: 'IATA code', required: true, unique: true },
  { key: 'name', type: 'text', title: 'Name', required: true },
  { key: 'city', type: 'text', title: 'City' },
  { key: 'state', type: 'text', title: 'State' },
  { key: 'country', type: 'text', title: 'Country', required: true },
  { key: 'latitude', type: 'number', title: 'Latitude', required: true },
  { key: 'longitude', type: 'number', title: 'Longitude', required: true },
];

type Values = Readonly<Record<string, string | number>>;

/** Reads the rows' values by column key. @throws Error if an optional package is not installed. */
async function readAirports(): Promise<Values[]> {
  // Loaded only here, because the packages are optional.
  const { parse } = await import('csv-parse/sync');
  const directory = dirname(require.resolve('vega-datasets'));
  const text = await readFile(join(directory, '../data/airports.csv'), 'utf8');
  return parse<Record<string, string>>(text, { columns: true }).map(valuesOf);
}

function valuesOf(record: Readonly<Record<string, string>>): Values {
  const values = AIRPORT_COLUMNS.flatMap(({ key, type }) => {
    const text = record[key] ?? '';
    // The source uses "NA" for a missing value.
    if (text === '' || text === 'NA') return [];
    return [[key, type === 'number' ? Number(text) : text] as const];
  });
  return Object.fromEntries(values);
}

/** Returns the text of the first start: credentials, addresses, and a first call of the API. */
export function welcome(origin: string, access: DemoAccess): string {
  const { key, password, datagridId, rowCount } = access;
  const baseUrl = `${origin}/${PUBLIC_API}`;
  return `
The service is running, with a demo account and a datagrid of ${String(rowCount)} airports.

Console:  ${origin}
Email:    ${DEMO_OWNER}
Password: ${password}
          (of an owner; it is shown this once)

Base URL: ${baseUrl}
API key:  ${key}
          (of the same owner; it is shown this once, too)
API docs: ${origin}/docs

Try it:
curl -H "Authorization: Bearer ${key}" "${baseUrl}/datagrids/${datagridId}/rows?limit=3"

`;
}
