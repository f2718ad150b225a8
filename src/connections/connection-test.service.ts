import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/audit-action';
import { requireAccountFiles } from './account-file-access';
import { newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { DatabaseGate } from '../platform/database/database-gate';
import { LIMITS } from '../platform/fairness/limits';
import { CheckPermits } from '../platform/throttling/check-permits';
import { RateCounters } from '../platform/throttling/rate-counters';
import { WorkspaceService } from '../workspaces/workspace.service';
import { ConnectionSecrets } from '../destinations/connection-secrets';
import { type ConnectionRef, ConnectionService, validateSettings } from './connection.service';
import { type Destination, DestinationError, onAbort } from '../destinations/destination';
import { DestinationKinds } from '../destinations/destination-kinds';
import type { TestResultDto, TestSettingsDto } from './dto/connection.dto';

/** Tests destinations. Holds no connection of the database meanwhile. */
@Injectable()
export class ConnectionTestService {
  private readonly permits: CheckPermits;

  constructor(
    private readonly config: AppConfig,
    private readonly gate: DatabaseGate,
    private readonly workspaces: WorkspaceService,
    private readonly connections: ConnectionService,
    private readonly kinds: DestinationKinds,
    private readonly secrets: ConnectionSecrets,
    counters: RateCounters,
  ) {
    this.permits = new CheckPermits(LIMITS.connectionTests, config, counters);
  }

  /**
   * Tests settings that are not saved. A failed test is a result, not an error.
   * @throws AppError `not_found`, `forbidden`, `invalid_request`, `rate_limited` or `unavailable`.
   */
  async testSettings(
    accountId: string,
    workspaceId: string,
    { type, settings, secret = null }: TestSettingsDto,
    by: Actor,
  ): Promise<TestResultDto> {
    await this.gate.run(accountId, () => this.workspaces.get(accountId, workspaceId));
    const kind = this.kinds.get(type);
    const checked = validateSettings(kind, { settings, secret });
    requireAccountFiles(kind, checked, by);
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
    const release = await this.permits.acquire(accountId);
    const { connectionTestTimeoutSeconds: seconds } = this.config;
    const deadline = AbortSignal.timeout(seconds * 1_000);
    const timeout = new Promise<TestResultDto>((resolve) => {
      onAbort(deadline, () => {
        const error = `The destination did not respond within ${String(seconds)} seconds.`;
        resolve({ ok: false, error });
      });
    });
    // The deadline also ends the test, which then gives its permit back.
    return Promise.race([resultOf(create, deadline).finally(release), timeout]);
  }
}

async function resultOf(create: () => Destination, deadline: AbortSignal): Promise<TestResultDto> {
  try {
    await create().test(deadline);
    return { ok: true, error: null };
  } catch (error) {
    if (error instanceof DestinationError) return { ok: false, error: error.message };
    throw error;
  }
}
