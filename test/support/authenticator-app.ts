import { Secret, TOTP } from 'otpauth';

/** An authenticator app of a user, as other programs implement it. */
export class AuthenticatorApp {
  private readonly totp: TOTP;

  /** @param secret In base32. */
  constructor(secret: string) {
    this.totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  /** Returns the code of the present period, or of one `away` periods later. */
  code(away = 0): string {
    return this.totp.generate({ timestamp: Date.now() + away * 30_000 });
  }
}
