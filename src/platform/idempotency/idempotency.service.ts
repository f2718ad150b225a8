import { Injectable } from '@nestjs/common';
import { AppError, ERROR_STATUS } from '../../common/error/app-error';
import { AppConfig } from '../config/app-config';
import { Database } from '../database/database';
import type { Claim, FirstResponse, StoredResponse } from './claim';
import { IdempotencyRepository, type StoredKey, type StoredUsage } from './idempotency.repository';

export interface Outcome {
  readonly response: StoredResponse;
  /** Whether the response was stored by an earlier request, and nothing was done now. */
  readonly isReplayed: boolean;
}

/**
 * Statuses of rejections that are stored. They depend on the state of the data, so a retry could
 * otherwise make a change that the first response rejected.
 */
const KEPT_REJECTIONS: ReadonlySet<number> = new Set([409, 412]);

const MIN_RESPONSE_LIMIT_BYTES = 2 * 1024 * 1024;

/** Runs the change of an idempotency key once, and replays its first response afterwards. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly repository: IdempotencyRepository,
  ) {}

  /**
   * Runs a change and stores its response, in one transaction. If PostgreSQL requires a retry, the
   * whole transaction is retried.
   * @param change Makes the change. Its database work joins the transaction.
   * @param rejection Returns the response to an error.
   * @throws AppError `idempotency_key_reused` or `idempotency_key_in_use`; `rate_limited` if the
   *   account's storage for responses is full; `payload_too_large` if this response is too large to
   *   store, in which case nothing is changed; and errors of `change`, except rejections that are
   *   stored.
   */
  async once(
    claim: Claim,
    change: () => Promise<FirstResponse>,
    rejection: (error: AppError) => StoredResponse,
  ): Promise<Outcome> {
    return this.database.transaction(async () => {
      const isOurs = await this.repository.lock(claim);
      // Runs even without the lock, so that replays do not block one another.
      const { kept, usage } = await this.repository.find(claim);
      if (!kept && !isOurs) throw inUse();
      if (kept) return { response: sameRequest(claim, kept), isReplayed: true };
      if (usage.bytes >= this.config.maxIdempotencyBytes) throw full(usage);
      const response = await this.attempt(change, rejection);
      if (response.isKept) {
        this.rejectLarge(response);
        await this.repository.keep(claim, { ...response, body: response.storedBody });
      }
      return { response, isReplayed: false };
    });
  }

  /**
   * Rejects a response that is too large to store, before the commit: a change that cannot be
   * replayed must not be made.
   */
  private rejectLarge({ body }: StoredResponse): void {
    const bytes = body === null ? 0 : Buffer.byteLength(body);
    // The limit must allow one row of maximum size, as PostgreSQL prints it.
    const limit = Math.max(MIN_RESPONSE_LIMIT_BYTES, 2 * this.config.maxRowBytes);
    if (bytes <= limit) return;
    const message = `stores responses of up to ${String(limit)} bytes, but this one has ${String(bytes)}; send Prefer: return=minimal, or fewer rows`;
    throw new AppError('payload_too_large', `Idempotency-Key: ${message}`, {
      details: [{ field: 'Idempotency-Key', code: 'too_large', message }],
    });
  }

  /**
   * Runs the change in a savepoint. If it is rejected, only its work is rolled back: the lock on
   * the key remains, so the rejection can be stored.
   */
  private async attempt(
    change: () => Promise<FirstResponse>,
    rejection: (error: AppError) => StoredResponse,
  ): Promise<FirstResponse> {
    try {
      return await this.database.savepoint(change);
    } catch (error) {
      if (error instanceof AppError && KEPT_REJECTIONS.has(ERROR_STATUS[error.code])) {
        const rejected = rejection(error);
        return { ...rejected, isKept: true, storedBody: rejected.body };
      }
      throw error;
    }
  }
}

function sameRequest({ requestHash }: Claim, kept: StoredKey): StoredResponse {
  if (kept.requestHash.equals(requestHash)) return kept;
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with a different request. Use a new key.',
  );
}

/**
 * Returns the 429 error of a full storage. Responses are not deleted early, so new ones must wait.
 */
function full({ freeInSeconds }: StoredUsage): AppError {
  const message =
    'The storage for idempotent responses of this account is full. Retry later, or send Prefer: return=minimal.';
  const headers = { 'Retry-After': String(Math.max(1, freeInSeconds)) };
  return new AppError('rate_limited', message, { headers });
}

function inUse(): AppError {
  const message = 'A request with this Idempotency-Key is still in progress. Retry later.';
  return new AppError('idempotency_key_in_use', message, { headers: { 'Retry-After': '1' } });
}
