import { Injectable } from '@nestjs/common';
import { AccountService } from '../../auth/account.service';
import { FactorService } from '../../auth/factor/factor.service';
import type { Caller } from '../../common/caller/app-request';
import { conflict } from '../../common/error/app-error';
import { CurrentPassword } from '../session/current-password';
import type { Visit } from '../visit';
import type { SecurityDto } from './security.dto';

export interface SecurityView {
  /** Whether users without a second factor may only set one up when they are signed in. */
  readonly requiresSecondFactor: boolean;
}

/** How the users of an account sign in. */
@Injectable()
export class SecurityService {
  constructor(
    private readonly accounts: AccountService,
    private readonly factors: FactorService,
    private readonly currentPassword: CurrentPassword,
  ) {}

  async get({ accountId }: Caller): Promise<SecurityView> {
    const { requiresSecondFactor } = await this.accounts.get(accountId);
    return { requiresSecondFactor };
  }

  /**
   * Requires the password and a code of the owner: whoever requires a second factor has one, and a stolen
   * session cannot change the rule.
   * @throws AppError `conflict` if the owner has no second factor; `invalid_request`, `rate_limited`.
   */
  async set(caller: Caller, body: SecurityDto, visit: Visit): Promise<SecurityView> {
    if (!(await this.factors.isAskedFrom(caller.userId)))
      throw conflict('Set up a second factor of your own first.');
    await this.currentPassword.requireWithCode(caller, body, visit);
    const { requiresSecondFactor } = body;
    await this.accounts.setRequiresSecondFactor(caller.accountId, requiresSecondFactor, caller);
    return { requiresSecondFactor };
  }
}
