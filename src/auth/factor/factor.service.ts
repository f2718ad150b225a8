import { Injectable } from '@nestjs/common';
import type { WebAuthnCredential } from '@simplewebauthn/server';
import { AppError, conflict, invalidField, notFound } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import { Logger } from '../../platform/logging/logger';
import { SealError, Sealer } from '../../platform/secrets/sealer';
import { type Actor, auditTarget } from '../audit/audit-action';
import { type AuditCircumstances, AuditService } from '../audit/audit.service';
import type { UserRecord } from '../user/user.repository';
import { UserService } from '../user/user.service';
import { FactorRepository, type TotpRecord } from './factor.repository';
import { PasskeyService, type PasskeyView } from './passkey.service';
import {
  createRecoveryCode,
  createTotpSecret,
  hashOfRecoveryCode,
  periodOfCode,
  RECOVERY_CODE_COUNT,
  totpEnrollment,
  type TotpEnrollment,
} from './factor-code';

/** Wrong codes in a row after which codes of the app are no longer accepted. */
const MAX_WRONG_CODES = 50;
/** Time in which an app must be confirmed after its secret was shown. */
const MAX_SETUP_MS = 15 * 60_000;

/** Place of the secret of an authenticator app, by the id of its user. */
export const totpSecretPlace = (userId: string): string => `user:${userId}:totp`;

export interface FactorState {
  /** `null` if the user has no authenticator app. */
  readonly totp: { readonly confirmedAt: Date } | null;
  readonly passkeys: readonly PasskeyView[];
  /** Recovery codes that were not used. */
  readonly recoveryCodes: number;
}

/** A factor beside the password, or, for a passkey, in place of it. */
export type Factor = 'totp' | 'passkey' | 'recovery_code';

/** What a session can start with beside the password, or in place of it. */
export type SignInMeans = Factor | 'provider';

/** A factor that is a code. */
export type CodeFactor = Exclude<Factor, 'passkey'>;

/** Outcome of a code. `locked`: after too many wrong codes, only recovery codes are accepted. */
export type CodeUse = CodeFactor | 'wrong' | 'locked';

/** A factor that was added. */
export interface AddedFactor {
  /** Codes that are shown only here; `null` if the user has some, because it is not the first factor. */
  readonly recoveryCodes: readonly string[] | null;
}

type FactorHolder = Pick<UserRecord, 'id' | 'email' | 'accountId'>;

/** Second factors of console users: the codes of an authenticator app, passkeys, and recovery codes. */
@Injectable()
export class FactorService {
  constructor(
    private readonly database: Database,
    private readonly repository: FactorRepository,
    private readonly passkeys: PasskeyService,
    private readonly users: UserService,
    private readonly sealer: Sealer,
    private readonly audit: AuditService,
    private readonly logger: Logger,
  ) {}

  async stateOf(userId: string): Promise<FactorState> {
    const [totp, passkeys, recoveryCodes] = await Promise.all([
      this.repository.findTotp(userId),
      this.passkeys.listOf(userId),
      this.repository.countRecoveryCodes(userId),
    ]);
    const confirmedAt = totp?.confirmedAt ?? null;
    return { totp: confirmedAt && { confirmedAt }, passkeys, recoveryCodes };
  }

  /** Returns the factors that sign-ins of a user ask for beside the password; none if it is enough. */
  async listAsked(userId: string): Promise<readonly Factor[]> {
    const [totp, hasPasskey] = await Promise.all([
      this.repository.findTotp(userId),
      this.passkeys.hasAny(userId),
    ]);
    const asked: Factor[] = [];
    if (totp?.confirmedAt) asked.push('totp');
    if (hasPasskey) asked.push('passkey');
    return asked.length === 0 ? [] : [...asked, 'recovery_code'];
  }

  /** Returns whether sign-ins of a user ask for a second factor. */
  async hasFactor(userId: string): Promise<boolean> {
    return (await this.listAsked(userId)).length > 0;
  }

  /** Returns the ids of the account's users whose sign-ins ask for a second factor. */
  async listHolders(accountId: string): Promise<ReadonlySet<string>> {
    const [apps, passkeys] = await Promise.all([
      this.repository.listHolders(accountId),
      this.passkeys.listHolders(accountId),
    ]);
    return new Set([...apps, ...passkeys]);
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
   * Confirms the app by one of its codes. Requires the lock of the user.
   * @returns `null` if the code is wrong.
   * @throws AppError `conflict` if the user has an app, or has not begun to set one up within 15 minutes;
   *   `unavailable` if the secret cannot be opened.
   */
  async confirmTotp(userId: string, code: string): Promise<AddedFactor | null> {
    const totp = await this.repository.findTotp(userId);
    if (totp?.confirmedAt) throw hasApp();
    if (!totp || totp.createdAt.getTime() < Date.now() - MAX_SETUP_MS) throw notBegun();
    const period = periodOfCode(this.open(totp), code, Date.now());
    if (period === null) return null;
    return this.adding(userId, () => this.repository.confirm(userId, period));
  }

  /**
   * Adds a passkey that `PasskeyService.check` has returned. Requires the lock of the user.
   * @throws AppError `conflict` if it is known, or the user has too many.
   */
  async addPasskey(
    userId: string,
    name: string,
    passkey: WebAuthnCredential,
  ): Promise<AddedFactor> {
    return this.adding(userId, () => this.passkeys.add(userId, name, passkey));
  }

  /**
   * Replaces the recovery codes of a user with a second factor. Use inside a transaction.
   * @returns the new ones, which are shown only here.
   * @throws AppError `conflict` if the user has none.
   */
  async createRecoveryCodes(userId: string): Promise<readonly string[]> {
    await this.users.lock(userId);
    if (!(await this.hasFactor(userId))) throw noFactor();
    return this.replaceRecoveryCodes(userId);
  }

  /**
   * Uses a code of the app, or a recovery code. Each works once.
   * @throws AppError `unavailable` if the secret of the app cannot be opened.
   */
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
    return this.database.transaction(async () => {
      const wrongCodes = await this.repository.addWrongCode(id);
      if (wrongCodes < MAX_WRONG_CODES) return 'wrong';
      if (wrongCodes === MAX_WRONG_CODES) {
        const target = auditTarget('user', id, email);
        await this.audit.record(accountId, 'nobody', 'factor_locked', target);
      }
      return 'locked';
    });
  }

  /** Removes the app of a user. @throws AppError `not_found` */
  async removeTotp(user: FactorHolder, by: Actor): Promise<void> {
    await this.removing(user, by, async () => {
      if (!(await this.repository.removeTotp(user.id))) throw notFound('Authenticator app');
      return { factor: 'totp' };
    });
  }

  /**
   * Removes a passkey of a user.
   * @param requireAllowed Throws if the user must keep it. Called with the lock of the user.
   * @throws AppError `not_found`, and what `requireAllowed` throws.
   */
  async removePasskey(
    user: FactorHolder,
    passkeyId: string,
    by: Actor,
    requireAllowed: () => Promise<void>,
  ): Promise<void> {
    await this.removing(user, by, async () => {
      await requireAllowed();
      const name = await this.passkeys.remove(user.id, passkeyId);
      if (name === null) throw notFound('Passkey');
      return { factor: 'passkey', name };
    });
  }

  /** Removes all factors of a user. @returns whether sign-ins asked for one. */
  async remove(user: FactorHolder, by: Actor): Promise<boolean> {
    return this.removing(user, by, async () => {
      const hadTotp = await this.repository.removeTotp(user.id);
      return (await this.passkeys.removeAll(user.id)) || hadTotp ? {} : null;
    });
  }

  /**
   * Removes factors, and with the last one the recovery codes.
   * @param work Returns details for the audit log; `null` if it has removed none.
   */
  private async removing(
    { id, email, accountId }: FactorHolder,
    by: Actor,
    work: () => Promise<AuditCircumstances['details'] | null>,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.users.lock(id);
      const details = await work();
      if (!(await this.hasFactor(id))) await this.repository.removeRecoveryCodes(id);
      if (!details) return false;
      const target = auditTarget('user', id, email);
      await this.audit.record(accountId, by, 'factor_removed', target, { details });
      return true;
    });
  }

  /** Adds a factor, and with the first one recovery codes. Requires the lock of the user. */
  private async adding(userId: string, add: () => Promise<void>): Promise<AddedFactor> {
    const isFirst = !(await this.hasFactor(userId));
    await add();
    return { recoveryCodes: isFirst ? await this.replaceRecoveryCodes(userId) : null };
  }

  private async replaceRecoveryCodes(userId: string): Promise<readonly string[]> {
    const created = Array.from({ length: RECOVERY_CODE_COUNT }, createRecoveryCode);
    await this.repository.replaceRecoveryCodes(
      userId,
      created.map(({ hash }) => hash),
    );
    return created.map(({ code }) => code);
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

export const isAccepted = (use: CodeUse): use is CodeFactor =>
  use === 'totp' || use === 'recovery_code';

/** @throws AppError `invalid_request` unless a code was accepted. */
export function requireUsed(use: CodeUse): CodeFactor {
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

export function noFactor(): AppError {
  return conflict('Set up a second factor first.');
}
