import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Pool } from 'pg';
import { AccountService } from '../../src/auth/account/account.service';
import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { SessionService } from '../../src/auth/session/session.service';
import { UserService } from '../../src/auth/user/user.service';
import type { Role } from '../../src/common/permission/permission';
import {
  DESTINATION_KINDS,
  type KindsByType,
} from '../../src/connections/destination/destination-kinds';
import { SyncService } from '../../src/connections/sync/sync.service';
import { createApplication } from '../../src/create-application';
import { readConfig } from '../../src/platform/config/app-config';
import { createLogger } from '../../src/platform/logging/logger';
import { ApiClient } from './api-client';
import { ConsoleClient } from './console-client';
import { createTestDatabase, type TestDatabase } from './test-database';

export interface TestAppOptions {
  /** Settings as in the environment. Limits are disabled unless set. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Database of another instance, to start a second replica. */
  readonly database?: TestDatabase;
  /**
   * Called before the server listens, for example to set timeouts, some of which apply from the
   * start.
   */
  readonly beforeListen?: (server: Server) => void;
  /** Kinds of destinations in place of the real ones. */
  readonly kinds?: KindsByType;
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
 * rejection. The pool lets three requests of one account wait for a lock while other accounts are
 * active.
 */
const NO_LIMITS = {
  DATABASE_POOL_SIZE: '15',
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  WEBHOOK_TEST_LIMIT: '1000000',
  DATABASE_ACQUIRE_TIMEOUT_MS: '25000',
  LOCK_TIMEOUT_MS: '25000',
  QUERY_TIMEOUT_MS: '25000',
  MAX_EVENT_LOOP_DELAY_MS: '60000',
  MAX_WEBHOOKS_PER_ACCOUNT: '100000',
  MAX_CONNECTIONS_PER_ACCOUNT: '100000',
  MAX_CONNECTION_TABLES_PER_ACCOUNT: '1000000',
  MAX_SCHEDULED_IMPORTS_PER_ACCOUNT: '100000',
  CONNECTION_TEST_LIMIT: '1000000',
  SCHEDULED_IMPORT_REQUEST_LIMIT: '1000000',
};
let serial = 0;

/** The real application, on a real port with a database of its own. */
export class TestApp {
  private constructor(
    readonly nest: NestExpressApplication,
    readonly database: TestDatabase,
    /** The service's log, one JSON line each. */
    readonly logs: string[],
    /** Connections for direct access to the database, bypassing the service. */
    readonly sql: Pool,
    private readonly ownsDatabase: boolean,
  ) {}

  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const database = options.database ?? (await createTestDatabase());
    const logs: string[] = [];
    const config = readConfig({
      ...NO_LIMITS,
      DATABASE_URL: database.url,
      LOG_LEVEL: 'info',
      ...options.settings,
    });
    const logger = createLogger(config, { write: (line) => void logs.push(line) });
    const nest = await createApplication(config, database.url, logger);
    options.beforeListen?.(nest.getHttpServer());
    const kinds = nest.get<KindsByType>(DESTINATION_KINDS, { strict: false });
    Object.assign(kinds, options.kinds);
    await nest.listen(0, '127.0.0.1');
    const sql = new Pool({ connectionString: database.url, max: 4 });
    // `end` does not wait for the connections to close. Dropping the database may break one.
    sql.on('error', () => undefined);
    return new TestApp(nest, database, logs, sql, options.database === undefined);
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
    const email = `owner-${String((serial += 1))}-${String(process.pid)}@example.com`;
    const { accountId, userId } = await this.nest.get(AccountService).create(name, email);
    return this.member(accountId, userId, email);
  }

  /** Creates another user of an account and a key. */
  async newUser(accountId: string, role: Role): Promise<Member> {
    const email = `${role}-${String((serial += 1))}-${String(process.pid)}@example.com`;
    const user = await this.nest.get(UserService).create(accountId, email, role, 'operator');
    return this.member(accountId, user.id, email);
  }

  /** Returns a console client that is signed in as a user, without hashing a password. */
  async console({ userId }: Pick<Member, 'userId'>): Promise<ConsoleClient> {
    const place = { userAgent: 'test', address: '127.0.0.1' };
    const { token } = await this.nest.get(SessionService).start(userId, place);
    return new ConsoleClient(this.origin, token);
  }

  /** Stops the syncs of connections. They would change what a test stores of their tables. */
  async stopSyncs(): Promise<void> {
    await this.nest.get(SyncService, { strict: false }).onModuleDestroy();
  }

  async close(): Promise<void> {
    await this.nest.close();
    await this.sql.end();
    if (this.ownsDatabase) await this.database.drop();
  }

  private async member(accountId: string, userId: string, email: string): Promise<Member> {
    const { id, key } = await this.nest.get(ApiKeyService).create(userId, 'test', null, 'operator');
    return { accountId, userId, email, keyId: id, key, api: this.api(key) };
  }
}
