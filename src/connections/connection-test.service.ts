import { Injectable } from '@nestjs/common';
import { AppError } from '../common/error/app-error';
import { newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { DatabaseGate } from '../platform/database/database-gate';
import type { AccountPermits } from '../platform/fairness/account-semaphore';
import { InstanceLimits } from '../platform/fairness/instance-limits';
import type { RateCounter } from '../platform/throttling/rate-counter';
import { RateCounters } from '../platform/throttling/rate-counters';
import { WorkspaceService } from '../workspaces/workspace.service';
import { ConnectionSecrets } from './connection-secrets';
import { type ConnectionRef, ConnectionService, validateSettings } from './connection.service';
import { type Destination, DestinationError } from './destination/destination';
import { DestinationKinds } from './destination/destination-kinds';
import type { TestResultDto, TestSettingsDto } from './dto/connection.dto';

/** Maximum number of tests in progress, in one instance and for one account. */
const TESTS = { total: 8, perAccount: 2, maxWaiting: 0, maxWaitingPerAccount: 0 };
/** Window of CONNECTION_TEST_LIMIT. */
const TEST_WINDOW_SECONDS = 60;

/** Tests destinations. Holds no connection of the database meanwhile. */
@Injectable()
export class ConnectionTestService {
  private readonly tests: AccountPermits;

  /** Without a limit, tests could scan ports of others or try passwords. */
  private readonly rate: RateCounter;

  constructor(
    private readonly config: AppConfig,
    private readonly gate: DatabaseGate,
    private readonly workspaces: WorkspaceService,
    private readonly connections: ConnectionService,
    private readonly kinds: DestinationKinds,
    private readonly secrets: ConnectionSecrets,
    counters: RateCounters,
    limits: InstanceLimits,
  ) {
    this.tests = limits.semaphore('connection-tests', TESTS, {
      full: 'Too many destinations are being tested. Retry later.',
      accountFull: 'Too many destinations of this account are being tested. Retry later.',
    });
    const { connectionTestLimit } = config;
    this.rate = counters.create('connection-tests', connectionTestLimit, TEST_WINDOW_SECONDS);
  }

  /**
   * Tests settings that are not saved. A failed test is a result, not an error.
   * @throws AppError `not_found`, `invalid_request`, `rate_limited` or `unavailable`.
   */
  async testSettings(
    accountId: string,
    workspaceId: string,
    { type, settings, secret = null }: TestSettingsDto,
  ): Promise<TestResultDto> {
    await this.gate.run(accountId, () => this.workspaces.get(accountId, workspaceId));
    const kind = this.kinds.get(type);
    const checked = validateSettings(kind, { settings, secret });
    const target = { accountId, connectionId: newId(), settings: checked, secret };
    return this.run(accountId, () => kind.create(target));
  }

  /**
   * Tests a saved connection, also if it is paused. Its health stays as it is.
   * @throws AppError `not_found`, `invalid_request`, `rate_limited` or `unavailable`.
   */
  async test(ref: ConnectionRef): Promise<TestResultDto> {
    const { accountId, id: connectionId } = ref;
    const {
      type,
      settings,
      secret: stored,
    } = await this.gate.run(accountId, () => this.connections.getAccess(ref));
    const kind = this.kinds.get(type);
    return this.run(accountId, () => {
      const secret = this.secrets.openFor(connectionId, stored);
      return kind.create({ accountId, connectionId, settings, secret });
    });
  }

  /** @param create Can throw DestinationError, which then is the result. */
  private async run(accountId: string, create: () => Destination): Promise<TestResultDto> {
    const { allowed, resetSeconds } = await this.rate.hit(accountId);
    if (!allowed) {
      throw new AppError('rate_limited', 'Too many tests of this account. Retry later.', {
        headers: { 'Retry-After': String(resetSeconds) },
      });
    }
    const release = await this.tests.acquireNow(accountId);
    // A test that takes too long keeps its permit until it ends.
    return this.within(resultOf(create).finally(release));
  }

  /** Returns the result, or a failure after CONNECTION_TEST_TIMEOUT_SECONDS. */
  private async within(result: Promise<TestResultDto>): Promise<TestResultDto> {
    const { connectionTestTimeoutSeconds: seconds } = this.config;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<TestResultDto>((resolve) => {
      timer = setTimeout(() => {
        const error = `The destination did not respond within ${String(seconds)} seconds.`;
        resolve({ ok: false, error });
      }, seconds * 1_000);
    });
    try {
      return await Promise.race([result, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function resultOf(create: () => Destination): Promise<TestResultDto> {
  try {
    await create().test();
    return { ok: true, error: null };
  } catch (error) {
    if (error instanceof DestinationError) return { ok: false, error: error.message };
    throw error;
  }
}
