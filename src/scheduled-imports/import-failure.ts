import { AppError } from '../common/error/app-error';
import type { ImportReport } from '../imports/job/import.entity';
import { ImportEndedError } from '../imports/progress/import-progress';
import { isUnavailable } from '../platform/database/database-error';
import { DestinationError, type FailureKind } from '../destinations/destination';
import { retryMs } from '../connections/run-claim';
import type { ClaimedImport } from './import-claim.repository';

/** Failed runs after which an import without a schedule waits for the next request. */
const MAX_REQUESTED_RUNS = 5;
/** Message of a run whose rows arrive too slowly. */
export const TOO_SLOW =
  'The database sends rows too slowly. Make the query faster, or select fewer rows.';

/** Returns the error of an import that has not completed. */
export function failureOf(report: ImportReport | null): Error {
  if (report?.state === 'cancelled') {
    return new DestinationError(
      'unavailable',
      'Somebody canceled the import of this run. The run is retried.',
    );
  }
  const { code = 'internal', message = 'The datagrid was deleted.' } = report?.failure ?? {};
  return new AppError(code, message);
}

/** Codes of failures that the owner can correct. */
const OWNER_FAILURE_KINDS: Readonly<Partial<Record<AppError['code'], FailureKind>>> = {
  quota_exceeded: 'configuration',
  invalid_request: 'configuration',
  conflict: 'unavailable',
};
const OF_OVERLOAD: readonly AppError['code'][] = ['unavailable', 'rate_limited'];

/** Whether a run has failed only because others need the service at the moment. */
export function isOverload(error: unknown): boolean {
  if (error instanceof ImportEndedError || isUnavailable(error)) return true;
  return (
    error instanceof AppError && OF_OVERLOAD.includes(error.code) && error.message !== TOO_SLOW
  );
}

/** Returns the failure that the owner sees; `null` for one of the service itself. */
export function ownerFailureOf(error: unknown): DestinationError | null {
  if (error instanceof DestinationError) return error;
  if (!(error instanceof AppError)) return null;
  if (error.message === TOO_SLOW) return new DestinationError('unavailable', TOO_SLOW);
  const kind = OWNER_FAILURE_KINDS[error.code];
  return kind ? new DestinationError(kind, error.message) : null;
}

/** Returns what the owner sees of a failure of the service itself. */
export function serviceFailure(): DestinationError {
  const message =
    'The service failed. The run is repeated. If this happens again, tell the operator of the service.';
  return new DestinationError('unavailable', message);
}

/** Returns the time until a failed run is repeated; `null` if it waits for its schedule or a request. */
export function repeatMs(
  { failures, intervalSeconds }: ClaimedImport,
  kind: FailureKind,
): number | null {
  const delayMs = retryMs('import', kind, failures);
  if (intervalSeconds !== null) return Math.min(delayMs, intervalSeconds * 1_000);
  const isOver = kind !== 'unavailable' || failures + 1 >= MAX_REQUESTED_RUNS;
  return isOver ? null : delayMs;
}
