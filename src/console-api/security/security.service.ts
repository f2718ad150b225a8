import { Injectable } from '@nestjs/common';
import { AccountService } from '../../auth/account.service';
import { CallerService } from '../../auth/caller.service';
import { FactorService, noFactor } from '../../auth/factor/factor.service';
import { ProviderRuleService } from '../../auth/provider/provider-rule.service';
import type { Caller } from '../../common/caller/app-request';
import { invalidField } from '../../common/error/app-error';
import { Reauthentication } from '../session/reauthentication';
import type { Visit } from '../visit';
import type { SecurityDto } from './security.dto';

export interface SecurityView {
  /** Whether all users need a second factor. */
  readonly requiresSecondFactor: boolean;
  /** Whether users sign in only by a provider. */
  readonly requiresProvider: boolean;
  /** The only user who may sign in another way then; `null` if all may. */
  readonly exemptUser: { readonly id: string; readonly email: string } | null;
}

/** How the users of an account sign in. */
@Injectable()
export class SecurityService {
  constructor(
    private readonly accounts: AccountService,
    private readonly providerRule: ProviderRuleService,
    private readonly callers: CallerService,
    private readonly factors: FactorService,
    private readonly reauthentication: Reauthentication,
  ) {}

  async get({ accountId }: Caller): Promise<SecurityView> {
    const { requiresSecondFactor } = await this.accounts.get(accountId);
    const exempt = await this.providerRule.exemptUserOf(accountId);
    return {
      requiresSecondFactor,
      requiresProvider: exempt !== null,
      exemptUser: exempt && { id: exempt.id, email: exempt.email },
    };
  }

  /**
   * Requires that the owner signs in again. This does not hold against a stolen session: it can create another
   * owner. An owner who requires providers becomes the user who may sign in without one.
   * @throws AppError `conflict` if the owner has no second factor, or the account no provider; as
   *   `Reauthentication.require`.
   */
  async set(caller: Caller, body: SecurityDto, visit: Visit): Promise<SecurityView> {
    const { userId, accountId } = caller;
    const { requiresSecondFactor, requiresProvider } = body;
    if (requiresSecondFactor === undefined && requiresProvider === undefined)
      throw invalidField(
        'requiresSecondFactor',
        'required',
        'is required without requiresProvider',
      );
    if (!(await this.factors.hasFactor(userId))) throw noFactor();
    await this.reauthentication.require(caller, body, visit);
    // The check can take long.
    await this.callers.requireStill(caller, 'users:write');
    if (requiresSecondFactor !== undefined)
      await this.accounts.setRequiresSecondFactor(accountId, requiresSecondFactor, caller);
    if (requiresProvider !== undefined)
      await this.providerRule.set(accountId, requiresProvider ? userId : null, caller);
    return this.get(caller);
  }
}
