import { Inject, Injectable } from '@nestjs/common';
import { BackgroundService, type BackgroundTask } from '../background/background-service';
import { RepeatedTask } from '../background/repeated-task';
import { call, Supervisor } from '../workers/supervisor';
import { AccountActivity } from './account-activity';

/** A worker reports accounts that call it to its supervisor, which reports them to the others. */
export const ACTIVE_ACCOUNTS = call<readonly string[]>('active-accounts');

/** Well below the time for which an account counts as active. */
const REPORT_MS = 1_000;

/**
 * Tells the other workers of the instance which accounts are active. An account that is alone at one
 * worker must not take the shares of accounts at others: they use the same database.
 */
@Injectable()
export class ActivityExchange extends BackgroundService {
  protected readonly task: BackgroundTask;

  constructor(
    @Inject(Supervisor) private readonly supervisor: Supervisor | null,
    private readonly activity: AccountActivity,
  ) {
    super();
    const never = (): void => undefined;
    this.task = new RepeatedTask(() => Promise.resolve(this.report()), REPORT_MS, never);
  }

  override onApplicationBootstrap(): void {
    if (!this.supervisor) return;
    this.supervisor.channel.handle(ACTIVE_ACCOUNTS, (accountIds) => {
      this.activity.recordReported(accountIds);
    });
    super.onApplicationBootstrap();
  }

  /** @returns the number of accounts. */
  private report(): number {
    const accountIds = this.activity.lastCallers(2 * REPORT_MS);
    if (accountIds.length > 0) this.supervisor?.channel.tell(ACTIVE_ACCOUNTS, accountIds);
    return accountIds.length;
  }
}
