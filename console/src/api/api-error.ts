import { text } from '../text/text';

/** One error detail of a response, as in the public API. */
export interface ErrorDetail {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** A code of the API's errors, or the reason why there is no response. */
export type ErrorCode = 'unreachable' | 'unavailable' | 'unauthenticated' | (string & {});

/** Thrown for a response with status 400 or above, or if there is no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** 0 if there was no response. */
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    readonly requestId?: string,
    /** Whole seconds to wait before trying again, if the server sent them. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** True if the network or the server is unavailable. The same request may work later. */
  get isOutage(): boolean {
    return this.status === 0 || [502, 503, 504].includes(this.status);
  }
}

export function isApiError(error: unknown, code?: ErrorCode): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

/** Returns a message for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : text.server.unknown;
}
