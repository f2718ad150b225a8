import { Injectable } from '@nestjs/common';
import { type CodeUse, FactorService, requireUsed } from '../../auth/factor/factor.service';
import type { CheckedPassword } from '../../auth/password/password.repository';
import { PasswordService } from '../../auth/password/password.service';
import type { UserRecord } from '../../auth/user/user.repository';
import { UserService } from '../../auth/user/user.service';
import type { Caller } from '../../common/caller/app-request';
import { type AppError, invalidField } from '../../common/error/app-error';
import type { Visit } from '../visit';
import type { PasswordAndCodeDto } from './session.dto';
import { SignInLimits } from './sign-in-limits';

/** A user who has entered the current password. */
export interface Confirmed {
  readonly user: UserRecord;
  readonly checked: CheckedPassword;
}

/** Requires the current password for actions that a session alone must not allow. */
@Injectable()
export class CurrentPassword {
  constructor(
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly factors: FactorService,
    private readonly limits: SignInLimits,
  ) {}

  /** @throws AppError `invalid_request` if the password is wrong, `rate_limited`. */
  async require({ userId }: Caller, password: string, visit: Visit): Promise<Confirmed> {
    const { user } = await this.users.getWithAccount(userId);
    const [checked] = await this.limits.try(user.email, visit.client.address, () =>
      this.passwords.check([userId], password, user.accountId),
    );
    if (!checked) throw wrongPassword();
    return { user, checked };
  }

  /**
   * Requires a code as well. Both count as attempts to sign in.
   * @throws AppError as `require`; `invalid_request` for a wrong code.
   */
  async requireWithCode(
    caller: Caller,
    { currentPassword, code }: PasswordAndCodeDto,
    visit: Visit,
  ): Promise<UserRecord> {
    const { user } = await this.require(caller, currentPassword, visit);
    let use: CodeUse = 'wrong';
    await this.limits.try(user.email, visit.client.address, async () => {
      use = await this.factors.use(user, code);
      return use === 'wrong' || use === 'locked' ? [] : [use];
    });
    requireUsed(use);
    return user;
  }
}

export function wrongPassword(): AppError {
  const message = 'does not match your current password';
  return invalidField('currentPassword', 'wrong_password', message);
}
