import { Injectable } from '@nestjs/common';
import { AppError, conflict, invalidField } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import { Logger } from '../../platform/logging/logger';
import { SealError, Sealer } from '../../platform/secrets/sealer';
import { type Actor, auditTarget } from '../audit/audit-action';
import { AuditService } from '../audit/audit.service';
import { hashSecretToken } from '../secret-token';
import type { UserRecord } from '../user/user.repository';
import { UserService } from '../user/user.service';
import { FactorRepository, type TotpRecord } from './factor.repository';
import {
  createRecoveryCode,
  createTotpSecret,
  hashOfRecoveryCode,
  periodOfCode,
  RECOVERY_CODES,
  totpEnrollment,
  type TotpEnrollment,
} from './factor-code';

/** Wrong codes in a row after which only recovery codes are accepted. */
const MAX_WRONG_CODES = 50;
/** Time in which an app must be confirmed after its secret was shown. */
const MAX_SETUP_MS = 15 * 60_000;

/** Place of the secret of an authenticator app, by the id of its user. */
export const totpSecretPlace = (userId: string): string => `user:${userId}:totp`;

export interface FactorState {
  /** `null` if the user has no authenticator app. */
  readonly totp: { readonly confirmedAt: Date } | null;
  /** Recovery codes that were not used. */
  readonly recoveryCodes: number;
}

/** A second factor that was used. */
export type UsedFactor = 'totp' | 'recovery_code';

/** Outcome of a code. `locked`: after too many wrong codes, only recovery codes are accepted. */
export type CodeUse = UsedFactor | 'wrong' | 'locked';

type FactorHolder = Pick<UserRecord, 'id' | 'email' | 'accountId'>;

/** Second factors of console users: the codes of an authenticator app, and recovery codes. */
@Injectable()
export class FactorService {
  constructor(
    private readonly database: Database,
    private readonly repository: FactorRepository,
    private readonly users: UserService,
    private readonly sealer: Sealer,
    private readonly audit: AuditService,
    private readonly logger: Logger,
  ) {}

  async stateOf(userId: string): Promise<FactorState> {
    const [totp, recoveryCodes] = await Promise.all([
      this.repository.findTotp(userId),
      this.repository.countRecoveryCodes(userId),
    ]);
    const confirmedAt = totp?.confirmedAt ?? null;
    return { totp: confirmedAt && { confirmedAt }, recoveryCodes };
  }

  /** Returns whether sign-ins of a user ask for a second factor. */
  async isAskedFrom(userId: string): Promise<boolean> {
    return ((await this.repository.findTotp(userId))?.confirmedAt ?? null) !== null;
  }

  /** Returns the ids of the account's users whose sign-ins ask for a second factor. */
  async listHolders(accountId: string): Promise<ReadonlySet<string>> {
    return this.repository.listHolders(accountId);
  }

  /**
   * Begins to set up an authenticator app. A secret that was not confirmed is replaced.
   * @param label Name of the user in the app.
   * @throws AppError `conflict` if the user has an app.
   */
  async beginTotp(userId: string, label: string): Promise<TotpEnrollment> {
    const secret = createTotpSecret();
    const stored = this.sealer.seal(secret, totpSecretPlace(userId));
    const isPut = await this.database.transaction(async () => {
      await this.users.lock(userId);
      return this.repository.putPending(userId, stored);
    });
    if (!isPut) throw hasApp();
    return totpEnrollment(secret, label);
  }

  /**
   * Confirms the app by one of its codes. Use inside a transaction.
   * @returns new recovery codes, which are shown only here; `null` if the code is wrong.
   * @throws AppError `conflict` if no app is being set up.
   */
  async confirmTotp(userId: string, code: string): Promise<readonly string[] | null> {
    await this.users.lock(userId);
    const totp = await this.repository.findTotp(userId);
    if (totp?.confirmedAt) throw hasApp();
    if (!totp || totp.createdAt.getTime() < Date.now() - MAX_SETUP_MS) throw notBegun();
    const period = periodOfCode(this.open(totp), code, Date.now());
    if (period === null) return null;
    await this.repository.confirm(userId, period);
    return this.replaceRecoveryCodes(userId);
  }

  /**
   * Replaces the recovery codes of a user with an app. Use inside a transaction.
   * @returns the new ones, which are shown only here.
   * @throws AppError `conflict`
   */
  async createRecoveryCodes(userId: string): Promise<readonly string[]> {
    await this.users.lock(userId);
    if (!(await this.isAskedFrom(userId))) throw notBegun();
    return this.replaceRecoveryCodes(userId);
  }

  /** Uses a code of the app, or a recovery code. Each works once. */
  async use({ id, email, accountId }: FactorHolder, code: string): Promise<CodeUse> {
    const hash = hashOfRecoveryCode(code);
    if (hash && (await this.repository.useRecoveryCode(id, hash))) {
      await this.repository.resetWrongCodes(id);
      return 'recovery_code';
    }
    const totp = await this.repository.findTotp(id);
    if (!totp?.confirmedAt || hash) return 'wrong';
    if (totp.wrongCodes >= MAX_WRONG_CODES) return 'locked';
    const period = periodOfCode(this.open(totp), code, Date.now());
    if (period !== null && (await this.repository.usePeriod(id, period))) return 'totp';
    await this.repository.noteWrongCode(id);
    if (totp.wrongCodes + 1 < MAX_WRONG_CODES) return 'wrong';
    await this.audit.record(accountId, 'nobody', 'factor_locked', auditTarget('user', id, email));
    return 'locked';
  }

  /** Removes all factors of a user. @returns whether sign-ins asked for one. */
  async remove({ id, email, accountId }: FactorHolder, by: Actor): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.users.lock(id);
      const removed = await this.repository.remove(id);
      if (removed) {
        await this.audit.record(accountId, by, 'factor_removed', auditTarget('user', id, email));
      }
      return removed;
    });
  }

  private async replaceRecoveryCodes(userId: string): Promise<readonly string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, createRecoveryCode);
    const hashes = codes.map((code) => hashSecretToken(code.replaceAll('-', '')));
    await this.repository.replaceRecoveryCodes(userId, hashes);
    return codes;
  }

  /** @throws AppError `unavailable` if the key is missing that sealed the secret. */
  private open({ userId, secret }: TotpRecord): Buffer {
    try {
      return this.sealer.open(secret, totpSecretPlace(userId));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      this.logger.pino.error({ userId, reason: error.message }, 'authenticator secret not opened');
      const message =
        'The second factor cannot be checked. Use a recovery code, or ask the operator.';
      throw new AppError('unavailable', message, { cause: error });
    }
  }
}

/** @throws AppError `invalid_request` unless a code was accepted. */
export function requireUsed(use: CodeUse): UsedFactor {
  if (use === 'wrong') throw wrongCode();
  if (use === 'locked') throw invalidField('code', 'wrong_code', LOCKED);
  return use;
}

export function wrongCode(): AppError {
  return invalidField('code', 'wrong_code', 'is incorrect or was used before');
}

const LOCKED = 'was wrong too often; use a recovery code';

function hasApp(): AppError {
  return conflict('An authenticator app is already set up. Remove it first.');
}

function notBegun(): AppError {
  return conflict('No authenticator app is being set up. Start again.');
}
