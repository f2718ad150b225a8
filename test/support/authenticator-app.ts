import { Secret, TOTP } from 'otpauth';
import type { ConsoleClient } from './console-client';
import { dataOf } from './fixture';

export interface SetUpApp {
  readonly device: AuthenticatorApp;
  /** The code that was used. */
  readonly code: string;
  readonly recoveryCodes: readonly string[];
}

/** An authenticator app of a user, as other programs implement it. */
export class AuthenticatorApp {
  private readonly totp: TOTP;

  /** @param secret In base32. */
  constructor(secret: string) {
    this.totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  /** Sets up an app in the console. Its present code was used; the next one is accepted. */
  static async setUp(client: ConsoleClient, currentPassword: string): Promise<SetUpApp> {
    const { secret } = dataOf(await client.post('/factors/totp', { currentPassword }), 201);
    const device = new AuthenticatorApp(String(secret));
    const code = device.code();
    const confirmed = await client.post('/factors/totp/confirmation', { code });
    const { recoveryCodes } = dataOf(confirmed, 201) as { recoveryCodes: string[] | null };
    return { device, code, recoveryCodes: recoveryCodes ?? [] };
  }

  /** Returns the code of the present period, or of one `away` periods later. */
  code(away = 0): string {
    return this.totp.generate({ timestamp: Date.now() + away * 30_000 });
  }
}
