import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminJson } from '../cli/admin';
import { ServiceProcess } from '../main/service-process';
import type { TestSettings } from '../support/test-settings';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import type { FuzzRequest } from './requests';

const NO_LIMITS = {
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  webhookTestLimit: 1_000_000,
  MAX_WEBHOOKS_PER_ACCOUNT: '1000000',
  MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT: '1000000',
  connectionTestLimit: 1_000_000,
  scheduledImportRequestLimit: 1_000_000,
  MAX_CONNECTIONS_PER_ACCOUNT: '1000000',
  MAX_CONNECTION_TABLES_PER_ACCOUNT: '1000000',
  MAX_SCHEDULED_IMPORTS_PER_ACCOUNT: '1000000',
  MAX_CONCURRENT_EXPORTS: '8',
  MAX_CONCURRENT_IMPORTS: '8',
  // A busy machine may be slow.
  LOCK_TIMEOUT_MS: '60000',
  DATABASE_ACQUIRE_TIMEOUT_MS: '60000',
  STATEMENT_TIMEOUT_MS: '60000',
  idleTransactionTimeoutMs: 60_000,
  MAX_CONCURRENT_REQUESTS: '10000',
  maxEventLoopDelayMs: 60_000,
  LOG_LEVEL: 'info',
  // For SQL. Each process removes the directories of those that have ended.
  COLUMNAR_DIR: join(tmpdir(), 'datagrid-fuzz-copies'),
};

export type Keys = Readonly<Record<FuzzRequest['caller'], string | undefined>>;

/** The built service as a process, with an account, without limits of requests. */
export class FuzzService {
  private constructor(
    private readonly database: TestDatabase,
    private readonly process: ServiceProcess,
    readonly origin: string,
    readonly keys: Keys,
  ) {}

  static async start(): Promise<FuzzService> {
    const database = await createTestDatabase();
    const settings = { DATABASE_URL: database.url, ...NO_LIMITS };
    const owner = 'owner@example.com';
    const named = ['--name', 'Fuzz', '--owner-email', owner];
    const { accountId } = await adminJson(settings, 'account', 'create', ...named);
    const viewer = ['--email', 'viewer@example.com', '--role', 'viewer'];
    await adminJson(settings, 'user', 'create', '--account', String(accountId), ...viewer);
    const keys = {
      owner: await newKey(settings, owner),
      viewer: await newKey(settings, 'viewer@example.com'),
      noKey: undefined,
      unknownKey: `mk_${'0'.repeat(36)}`,
    };
    const process = ServiceProcess.start(settings);
    return new FuzzService(database, process, await process.origin(), keys);
  }

  /** Expects that the service still runs, has logged no error, and stops as it should. */
  async expectWell(): Promise<void> {
    const levels = this.process.log().filter(({ level }) => level === 'error' || level === 'fatal');
    expect(levels).toEqual([]);
    expect((await fetch(`${this.origin}/health/ready`)).status).toBe(200);
    expect(await this.process.stop()).toBe(0);
    expect(this.process.stderr()).toBe('');
  }

  async remove(): Promise<void> {
    await ServiceProcess.killAll();
    await this.database.drop();
  }
}

async function newKey(settings: TestSettings, email: string): Promise<string> {
  return String((await adminJson(settings, 'key', 'create', '--email', email)).key);
}
