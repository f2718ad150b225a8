import { Injectable } from '@nestjs/common';
import { AccountService } from '../../auth/account.service';
import { CallerService } from '../../auth/caller.service';
import { FactorService, noFactor } from '../../auth/factor/factor.service';
import type { Caller } from '../../common/caller/app-request';
import { Reauthentication } from '../session/reauthentication';
import type { Visit } from '../visit';
import type { SecurityDto } from './security.dto';

export interface SecurityView {
  /** Whether all users need a second factor. */
  readonly requiresSecondFactor: boolean;
}

/** How the users of an account sign in. */
@Injectable()
export class SecurityService {
  constructor(
    private readonly accounts: AccountService,
    private readonly callers: CallerService,
    private readonly factors: FactorService,
    private readonly reauthentication: Reauthentication,
  ) {}

  async get({ accountId }: Caller): Promise<SecurityView> {
    const { requiresSecondFactor } = await this.accounts.get(accountId);
    return { requiresSecondFactor };
  }

  /**
   * Requires that the owner signs in again. This does not hold against a stolen session: it can create another
   * owner.
   * @throws AppError `conflict` if the owner has no second factor; as `Reauthentication.require`.
   */
  async set(caller: Caller, body: SecurityDto, visit: Visit): Promise<SecurityView> {
    if (!(await this.factors.hasFactor(caller.userId))) throw noFactor();
    await this.reauthentication.require(caller, body, visit);
    // The check can take long.
    await this.callers.requireStill(caller, 'users:write');
    const { requiresSecondFactor } = body;
    await this.accounts.setRequiresSecondFactor(caller.accountId, requiresSecondFactor, caller);
    return { requiresSecondFactor };
  }
}
