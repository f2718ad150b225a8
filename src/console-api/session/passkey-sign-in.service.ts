import { Injectable } from '@nestjs/common';
import { type PasskeyOptions, PasskeyService } from '../../auth/factor/passkey.service';
import { UserService } from '../../auth/user/user.service';
import { AppError } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import type { Visit } from '../visit';
import type { PasskeyDto } from './session.dto';
import { type SessionView, SignInService } from './sign-in.service';
import { siteOf } from './site';

export type { PasskeyOptions };

/** Signs users in by passkeys, without a password. */
@Injectable()
export class PasskeySignInService {
  constructor(
    private readonly config: AppConfig,
    private readonly passkeys: PasskeyService,
    private readonly users: UserService,
    private readonly signIns: SignInService,
  ) {}

  /** Returns a challenge for the passkeys of anybody. @throws AppError `conflict`, `forbidden` */
  async challenge(visit: Visit): Promise<PasskeyOptions> {
    visit.requireSameOrigin(this.config.publicUrl);
    return this.passkeys.challenge(null, siteOf(this.config, visit));
  }

  /**
   * Signs in the user of a passkey that has signed a challenge, with a new session.
   * @throws AppError `unauthenticated`, the same for an unknown passkey and a wrong response;
   *   `account_suspended`, `conflict`, `forbidden`.
   */
  async signIn({ passkey: response }: PasskeyDto, visit: Visit): Promise<SessionView> {
    visit.requireSameOrigin(this.config.publicUrl);
    const site = siteOf(this.config, visit);
    const passkey = await this.passkeys.find(response);
    if (!passkey) throw notAccepted();
    const found = await this.users.getWithAccount(passkey.userId);
    // There is nothing to guess, so that wrong passwords of strangers do not delay this.
    const use = await this.passkeys.use(passkey, response, null, site);
    if (use === 'wrong') await this.signIns.recordFailure(found, visit, 'wrong_passkey');
    if (use !== 'used') throw notAccepted();
    const requireValid = async (): Promise<void> => {
      if (!(await this.passkeys.has(passkey.id))) throw notAccepted();
    };
    return this.signIns.enter(found, 'passkey', requireValid, visit);
  }
}

function notAccepted(): AppError {
  return new AppError('unauthenticated', 'The passkey is not accepted.', {
    headers: { 'WWW-Authenticate': 'Cookie' },
  });
}
