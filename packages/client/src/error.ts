import type { ImportReport } from './import-report.ts';

/** A parameter, header or property that is wrong. */
export interface ErrorDetail {
  /** Path, such as `rows.3.values.amount`. */
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Code of an error whose response is not in the format of the API, for example that of a proxy. */
export const UNEXPECTED_RESPONSE = 'unexpected_response';

interface ApiErrorInit {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly requestId: string | null;
  readonly location?: string | null | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
}

/** Thrown for a response with an error status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** An error code of the API, such as `conflict`, or `unexpected_response`. */
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  /** ID of the request in the service's log; `null` if no service responded. */
  readonly requestId: string | null;
  /** Path of a resource with details, such as the report of a failed import. */
  readonly location: string | null;
  /** The wait that the service requests in `Retry-After`. */
  readonly retryAfterSeconds: number | null;

  constructor(init: ApiErrorInit) {
    super(init.message);
    this.status = init.status;
    this.code = init.code;
    this.details = init.details ?? [];
    this.requestId = init.requestId;
    this.location = init.location ?? null;
    this.retryAfterSeconds = init.retryAfterSeconds ?? null;
  }

  /** Field of the first detail, such as `values.iata`. */
  get field(): string | undefined {
    return this.details[0]?.field;
  }
}

/**
 * Thrown if no response arrives, or only a part of it. If the request was a write, it is unknown
 * whether the service made the change: send it again with the same `Idempotency-Key`.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Thrown if an import fails or is canceled after it started. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  /** What was written. `nextLine` is the line to continue from. */
  readonly report: ImportReport;

  constructor(report: ImportReport, cause?: ApiError) {
    super(cause?.message ?? report.failure?.message ?? 'The import failed.', { cause });
    this.report = report;
  }
}

/** Thrown if the source of an import cannot be read. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

interface ErrorBody {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly ErrorDetail[];
    readonly requestId: string;
  };
}

/** Reads an error from a response. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const { error } = parsed(await response.text().catch(() => ''));
  const message = `The service responded with status ${String(status)}.`;
  return new ApiError({
    requestId: headers.get('x-request-id'),
    ...(error ?? { code: UNEXPECTED_RESPONSE, message }),
    status,
    location: headers.get('location'),
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
  });
}

function parsed(body: string): ErrorBody {
  try {
    const value = JSON.parse(body) as ErrorBody | null;
    return typeof value?.error?.code === 'string' ? value : {};
  } catch {
    return {};
  }
}

/** Reads `Retry-After`: a number of seconds, or a date as some proxies send it. */
function secondsOf(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  const value = Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
  return Number.isFinite(value) ? Math.max(0, value) : null;
}
