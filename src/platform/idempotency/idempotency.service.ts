import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { ERROR_STATUS } from '../../common/error/error-code';
import { AppConfig } from '../config/app-config';
import { Database } from '../database/database';
import type { Claim } from './claim';
import { IdempotencyRepository, type KeptKey, type KeptUsage } from './idempotency.repository';
import type { FirstAnswer, StoredResponse } from './stored-response';

export interface Outcome {
  readonly answer: StoredResponse;
  /** Whether it was given before, and nothing was done now. */
  readonly isReplayed: boolean;
}

/** What the state of the data has refused: asked again, it might be granted. */
const KEPT_REFUSALS: ReadonlySet<number> = new Set([409, 412]);

const MIN_RESPONSE_LIMIT_BYTES = 2 * 1024 * 1024;

/** Carries out what a key names once, and gives its first answer ever after. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: IdempotencyRepository,
  ) {}

  /**
   * The change and its answer are one transaction. Where PostgreSQL asks for another try, all of
   * it is tried again.
   * @param change Makes the change; all it does in the database joins the transaction.
   * @param refusal The answer to a failure.
   * @throws AppError `idempotency_key_reused` or `idempotency_key_in_use`; `rate_limited` where the
   *   account's stored responses are as many as may be, `payload_too_large` where this one is too large
   *   to be stored, and then nothing is changed; and what `change` throws beside the refusals that are
   *   kept.
   */
  async once(
    claim: Claim,
    change: () => Promise<FirstAnswer>,
    refusal: (error: AppError) => StoredResponse,
  ): Promise<Outcome> {
    return this.database.transaction(async () => {
      const isOurs = await this.repository.lock(claim);
      // Also without the lock: replays must not get in each other's way.
      const { kept, usage } = await this.repository.find(claim);
      if (!kept && !isOurs) throw inUse();
      if (kept) return { answer: sameRequest(claim, kept), isReplayed: true };
      if (usage.bytes >= this.config.maxIdempotencyBytes) throw full(usage);
      const answer = await this.attempt(change, refusal);
      if (answer.isKept) {
        this.refuseLarge(answer);
        await this.repository.keep(claim, answer);
      }
      return { answer, isReplayed: false };
    });
  }

  /** Before the commit: what cannot be given again must not be done. */
  private refuseLarge({ body }: StoredResponse): void {
    const bytes = body === null ? 0 : Buffer.byteLength(body);
    // One row must fit, as PostgreSQL prints it.
    const limit = Math.max(MIN_RESPONSE_LIMIT_BYTES, 2 * this.config.maxRowBytes);
    if (bytes <= limit) return;
    const message = `stores responses of up to ${String(limit)} bytes, but this one has ${String(bytes)}; send Prefer: return=minimal, or fewer rows`;
    throw new AppError('payload_too_large', `Idempotency-Key: ${message}`, {
      details: [{ field: 'Idempotency-Key', code: 'too_large', message }],
    });
  }

  /** What a refused change has done is undone alone: the key stays taken, and can be kept. */
  private async attempt(
    change: () => Promise<FirstAnswer>,
    refusal: (error: AppError) => StoredResponse,
  ): Promise<FirstAnswer> {
    try {
      return await this.database.savepoint(change);
    } catch (error) {
      if (error instanceof AppError && KEPT_REFUSALS.has(ERROR_STATUS[error.code])) {
        return { ...refusal(error), isKept: true };
      }
      throw error;
    }
  }
}

function sameRequest({ requestHash }: Claim, kept: KeptKey): StoredResponse {
  if (kept.requestHash.equals(requestHash)) return kept;
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different request. Use a new key.',
  );
}

/** 429: no stored response is given up before its time, so that new ones have to wait. */
function full({ freeInSeconds }: KeptUsage): AppError {
  const message =
    'The storage for idempotent responses of this account is full. Retry later, or send Prefer: return=minimal.';
  const headers = { 'Retry-After': String(Math.max(1, freeInSeconds)) };
  return new AppError('rate_limited', message, { headers });
}

function inUse(): AppError {
  const message = 'A request with this Idempotency-Key is still in progress. Retry later.';
  return new AppError('idempotency_key_in_use', message, { headers: { 'Retry-After': '1' } });
}
