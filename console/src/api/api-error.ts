/** One place of a request that is wrong, as in the public API. */
export interface ErrorDetail {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** A code of the API's errors, or what kept an answer from coming. */
export type ErrorCode = 'unreachable' | 'unavailable' | 'unauthenticated' | (string & {});

/** A request that failed: answered with 400 or more, or not answered at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** 0 where no answer came. */
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    readonly requestId?: string,
    /** Whole seconds to wait before trying again, where the server said so. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** The network or the server is away; the same request may work later. */
  get isOutage(): boolean {
    return this.status === 0 || [502, 503, 504].includes(this.status);
  }
}

export function isApiError(error: unknown, code?: ErrorCode): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

/** A sentence for people, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}
