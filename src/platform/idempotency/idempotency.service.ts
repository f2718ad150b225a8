import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { ERROR_STATUS } from '../../common/error/error-code';
import { Database } from '../database/database';
import type { Claim } from './claim';
import { IdempotencyRepository, type KeptKey } from './idempotency.repository';
import type { KeptAnswer } from './kept-answer';

export interface Outcome {
  readonly answer: KeptAnswer;
  /** Whether it was given before, and nothing was done now. */
  readonly isReplayed: boolean;
}

/** What the state of the data has refused: asked again, it might be granted. */
const KEPT_REFUSALS: ReadonlySet<number> = new Set([409, 412]);

/** Carries out what a key names once, and gives its first answer ever after. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly database: Database,
    private readonly repository: IdempotencyRepository,
  ) {}

  /**
   * The change and its answer are one transaction. Where PostgreSQL asks for another try, all of
   * it is tried again.
   * @param change Makes the change; all it does in the database joins the transaction.
   * @param refusal The answer to a failure.
   * @throws AppError `idempotency_key_reused` or `idempotency_key_in_use`, and what `change` throws
   *   beside the refusals that are kept.
   */
  async once(
    claim: Claim,
    change: () => Promise<KeptAnswer>,
    refusal: (error: AppError) => KeptAnswer,
  ): Promise<Outcome> {
    return this.database.transaction(async () => {
      const isOurs = await this.repository.lock(claim);
      // Also without the lock: replays must not get in each other's way.
      const kept = await this.repository.find(claim);
      if (!kept && !isOurs) throw inUse();
      if (kept) return { answer: sameRequest(claim, kept), isReplayed: true };
      const answer = await this.attempt(change, refusal);
      await this.repository.keep(claim, answer);
      return { answer, isReplayed: false };
    });
  }

  /** What a refused change has done is undone alone: the key stays taken, and can be kept. */
  private async attempt(
    change: () => Promise<KeptAnswer>,
    refusal: (error: AppError) => KeptAnswer,
  ): Promise<KeptAnswer> {
    try {
      return await this.database.savepoint(change);
    } catch (error) {
      if (error instanceof AppError && KEPT_REFUSALS.has(ERROR_STATUS[error.code])) {
        return refusal(error);
      }
      throw error;
    }
  }
}

function sameRequest({ requestHash }: Claim, kept: KeptKey): KeptAnswer {
  if (kept.requestHash.equals(requestHash)) return kept;
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was sent with another request. A new request needs a new key.',
  );
}

function inUse(): AppError {
  const message = 'A request with this Idempotency-Key is being carried out.';
  return new AppError('idempotency_key_in_use', message, { headers: { 'Retry-After': '1' } });
}
