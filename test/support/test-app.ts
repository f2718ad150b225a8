import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnModuleDestroy, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Pool } from 'pg';
import { AccountService } from '../../src/auth/account.service';
import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { PasswordService } from '../../src/auth/password/password.service';
import { SessionService } from '../../src/auth/session/session.service';
import { UserService } from '../../src/auth/user/user.service';
import type { Role } from '../../src/common/permission/permission';
import { DESTINATION_KINDS, type KindsByType } from '../../src/destinations/destination-kinds';
import { createApplication } from '../../src/create-application';
import { AppConfig, readConfig } from '../../src/platform/config/app-config';
import type { Constants } from '../../src/platform/config/constants';
import { settings as knownSettings } from '../../src/platform/config/settings';
import { ChangeListener, type HeartbeatTiming } from '../../src/platform/database/change-listener';
import { createLogger } from '../../src/platform/logging/logger';
import { ApiClient } from './api-client';
import { ConsoleClient } from './console-client';
import { createTestDatabase, type TestDatabase } from './test-database';
import { separate, type TestSettings } from './test-settings';

export interface TestAppOptions {
  /** Settings as in the environment, and constants. Limits are disabled unless set. */
  readonly settings?: TestSettings;
  /** Database of another instance, to start a second replica. */
  readonly database?: TestDatabase;
  /**
   * Called before the server listens, for example to set timeouts, some of which apply from the
   * start.
   */
  readonly beforeListen?: (server: Server) => void;
  /** Kinds of destinations in place of the real ones. */
  readonly kinds?: KindsByType;
  /** Binary logarithm of the cost of passwords. It is 17 in production, where a hash takes 0.4 s. */
  readonly hashLog2N?: number;
  /** In production, a change of a key, a user or an account takes 0.55 s. */
  readonly heartbeats?: HeartbeatTiming;
}

export interface Member {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly keyId: string;
  readonly key: string;
  readonly api: ApiClient;
}

/**
 * On a busy machine, requests may wait long and the event loop may be delayed. Neither must cause a
 * rejection. The pool lets six requests of one account wait for a lock while other accounts are
 * active.
 */
const NO_LIMITS = {
  DATABASE_POOL_SIZE: '30',
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  SIGN_IN_ADDRESS_LIMIT: '1000000',
  clientRegistrationLimit: 1_000_000,
  DATABASE_ACQUIRE_TIMEOUT_MS: '25000',
  LOCK_TIMEOUT_MS: '25000',
  QUERY_TIMEOUT_MS: '25000',
  MAX_WEBHOOKS_PER_ACCOUNT: '100000',
  MAX_CONNECTIONS_PER_ACCOUNT: '100000',
  MAX_CONNECTION_TABLES_PER_ACCOUNT: '1000000',
  MAX_SCHEDULED_IMPORTS_PER_ACCOUNT: '100000',
  CONNECTION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
  webhookTestLimit: 1_000_000,
  connectionTestLimit: 1_000_000,
  scheduledImportRequestLimit: 1_000_000,
  maxEventLoopDelayMs: 60_000,
};

/** A hash takes 3 ms. */
const QUICK_HASH_LOG2N = 10;

/** A change of a key, a user or an account takes 0.11 s. */
const QUICK_HEARTBEATS: HeartbeatTiming = { maxAgeMs: 100, intervalMs: 30 };

/** Settings that the service reads whenever it needs them, so that a running one can get others. */
type LiveSetting =
  | 'IMPORT_BATCH_ROWS'
  | 'MAX_BATCH_BYTES'
  | 'MAX_COLUMNS'
  | 'MAX_CONNECTION_TABLES_PER_ACCOUNT'
  | 'MAX_CONNECTIONS_PER_ACCOUNT'
  | 'MAX_IDEMPOTENCY_BYTES'
  | 'MAX_KEYS_PER_USER'
  | 'MAX_PAGE_BYTES'
  | 'MAX_ROW_BYTES'
  | 'MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT'
  | 'MAX_WEBHOOKS_PER_ACCOUNT';

/** Such constants. */
type LiveConstant = 'clientDocumentTimeoutMs' | 'maxColumnMetadataBytes' | 'maxUndoBytes';

export type LiveSettings = Readonly<Partial<Record<LiveSetting, string>>> &
  Partial<Pick<Constants, LiveConstant>>;

/** An application and the parts of its environment. */
interface Running {
  readonly nest: NestExpressApplication;
  readonly database: TestDatabase;
  /** The service's log, one JSON line each, which each file that shares the application begins anew. */
  readonly log: { lines: string[] };
  /** Connections for direct access to the database, bypassing the service. */
  readonly sql: Pool;
}

declare global {
  /** The application that the files of this worker share. */
  var sharedTestApp: Promise<Running> | undefined;
}

/** For SQL statements. Each process removes the directories of those that have ended. */
export const SQL_COPIES = join(tmpdir(), 'datagrid-test-copies');

/** The real application, on a real port with a real database. */
export class TestApp {
  readonly nest: NestExpressApplication;
  readonly database: TestDatabase;
  /** The service's log during this file, one JSON line each. */
  readonly logs: string[];
  /** Connections for direct access to the database, bypassing the service. */
  readonly sql: Pool;
  /** Accounts that this file has created. */
  readonly accountIds: string[] = [];

  /** This class is loaded for each file. */
  private static ofFile: Promise<TestApp> | undefined;

  private constructor(
    running: Running,
    private readonly owned: 'nothing' | 'application' | 'applicationAndDatabase',
  ) {
    ({ nest: this.nest, database: this.database, sql: this.sql } = running);
    this.logs = running.log.lines;
  }

  /**
   * Returns the application that the files of this worker share, with the default settings of tests.
   * Each file has accounts of its own. A file shares it unless it needs settings that take effect only
   * at the start, looks at whole tables, kills, freezes or counts statements.
   * @param settings Settings during this file. Only its first call may have them.
   */
  static shared(settings?: LiveSettings): Promise<TestApp> {
    if (settings && TestApp.ofFile) throw new Error('Another call has given the settings.');
    return (TestApp.ofFile ??= TestApp.join(settings ?? {}));
  }

  private static async join(settings: LiveSettings): Promise<TestApp> {
    const running = await (globalThis.sharedTestApp ??= run({
      settings: { COLUMNAR_DIR: SQL_COPIES },
    }));
    running.log.lines = [];
    ChangeListener.timing = QUICK_HEARTBEATS;
    const app = new TestApp(running, 'nothing');
    app.change(settings);
    return app;
  }

  /** Starts an application for this file alone. `why` says why the file cannot share one. */
  static alone(why: string, options: TestAppOptions = {}): Promise<TestApp> {
    if (why === '') throw new Error('Say why this file cannot share an application.');
    return TestApp.start(options);
  }

  /** Starts an application with other settings, or another instance on a database. */
  static async start(options: TestAppOptions): Promise<TestApp> {
    const running = await run(options);
    return new TestApp(running, options.database ? 'application' : 'applicationAndDatabase');
  }

  get isShared(): boolean {
    return this.owned === 'nothing';
  }

  get port(): number {
    return (this.nest.getHttpServer().address() as AddressInfo).port;
  }

  /** Without a trailing slash. */
  get origin(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  api(key?: string): ApiClient {
    return new ApiClient(this.origin, key);
  }

  /** Creates an account with its owner and a key. */
  async newAccount(name = 'Test account'): Promise<Member> {
    const email = `owner-${randomUUID()}@example.com`;
    const { accountId, userId } = await this.nest.get(AccountService).create(name, email);
    this.accountIds.push(accountId);
    return this.member(accountId, userId, email);
  }

  /** Creates another user of an account and a key. */
  async newUser(accountId: string, role: Role): Promise<Member> {
    const email = `${role}-${randomUUID()}@example.com`;
    const user = await this.nest.get(UserService).create(accountId, email, role, 'operator');
    return this.member(accountId, user.id, email);
  }

  /** Sets the password of a user, without the rules of the service. */
  async setPassword({ userId }: Pick<Member, 'userId'>, password: string): Promise<void> {
    const passwords = this.nest.get(PasswordService, { strict: false });
    await passwords.set(userId, await passwords.hash(password));
  }

  /** Returns a console client that is signed in as a user, without hashing a password. */
  async console({ userId }: Pick<Member, 'userId'>): Promise<ConsoleClient> {
    const place = { userAgent: 'test', address: '127.0.0.1' };
    const { token } = await this.nest.get(SessionService).start(userId, place);
    return new ConsoleClient(this.origin, token);
  }

  /** Changes settings while `work` runs. */
  async withSettings<T>(settings: LiveSettings, work: () => Promise<T>): Promise<T> {
    const config = this.nest.get(AppConfig);
    const before = Object.entries(config);
    this.change(settings);
    try {
      return await work();
    } finally {
      Object.assign(config, Object.fromEntries(before));
    }
  }

  /** Stops what a service does in the background. Not in a shared application, whose next files need it. */
  async stop(service: Type<OnModuleDestroy>): Promise<void> {
    if (this.isShared) throw new Error('Other files share this application. Mock what it reads.');
    await this.nest.get(service, { strict: false }).onModuleDestroy();
  }

  /** Stops the application, unless it is shared: then only what runs for accounts of this file. */
  async close(): Promise<void> {
    if (this.isShared) {
      jest.restoreAllMocks();
      for (const table of ['webhooks', 'connections'])
        await this.sql.query(
          `UPDATE ${table} SET enabled = false WHERE enabled AND account_id = ANY($1)`,
          [this.accountIds],
        );
      return;
    }
    await this.nest.close();
    await this.sql.end();
    if (this.owned === 'applicationAndDatabase') await this.database.drop();
  }

  /** Gives the service the settings of tests, and these. */
  private change(settings: LiveSettings): void {
    Object.assign(this.nest.get(AppConfig), configOf(this.database, settings));
  }

  private async member(accountId: string, userId: string, email: string): Promise<Member> {
    const { id, key } = await this.nest.get(ApiKeyService).create(userId, 'test', null, 'operator');
    return { accountId, userId, email, keyId: id, key, api: this.api(key) };
  }
}

/** @throws Error if a setting does not exist. */
function configOf(database: TestDatabase, settings: TestSettings = {}): AppConfig {
  const { env, constants } = separate({
    ...NO_LIMITS,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    ...settings,
  });
  const unknown = Object.keys(env).filter((name) => !(name in knownSettings.shape));
  if (unknown.length > 0) throw new Error(`There are no such settings: ${unknown.join(', ')}`);
  return readConfig(env, constants);
}

async function run(options: TestAppOptions): Promise<Running> {
  const database = options.database ?? (await createTestDatabase());
  const config = configOf(database, options.settings);
  const log: Running['log'] = { lines: [] };
  const logger = createLogger(config, { write: (line) => void log.lines.push(line) });
  ChangeListener.timing = options.heartbeats ?? QUICK_HEARTBEATS;
  const nest = await createApplication(config, database.url, logger);
  options.beforeListen?.(nest.getHttpServer());
  const kinds = nest.get<KindsByType>(DESTINATION_KINDS, { strict: false });
  Object.assign(kinds, options.kinds);
  const { hashLog2N: log2N = QUICK_HASH_LOG2N } = options;
  Object.assign(nest.get(PasswordService).cost, { log2N });
  const sql = new Pool({ connectionString: database.url, max: 4 });
  // `end` does not wait for the connections to close. Dropping the database may break one.
  sql.on('error', () => undefined);
  await nest.listen(0, '127.0.0.1');
  return { nest, database, log, sql };
}
