import { LocatedItem } from '../../../common/envelope/located-item';
import { AppError, conflict, notFound } from '../../../common/error/app-error';
import type { ErrorCode } from '../../../common/error/error-code';
import { PUBLIC_API } from '../../../platform/http/public-api';
import { toImportDto } from '../dto/print-import';
import type { ImportFailure, ImportReport } from '../job/import-report';
import type { ImportPlace } from '../job/import.repository';
import { CANCELLED, DATABASE_AWAY, failureOf, inOrder } from './import-failures';

/**
 * What starting an import is answered by: its report, or its failure, with the place of the report
 * either way.
 * @throws AppError as the import has failed
 */
export function importAnswer(
  report: ImportReport,
  { isReplayed, cause }: { isReplayed: boolean; cause?: unknown },
): LocatedItem {
  const { state } = report;
  const location = locationOf(report);
  if (state === 'running' || state === 'completed') {
    return new LocatedItem(toImportDto(report), location, state === 'completed', isReplayed);
  }
  const known = report.failure ?? CANCELLED;
  const failure = isReplayed && PASSING.has(known.code) ? overFor(report, known) : known;
  throw new AppError(failure.code, failure.message, {
    cause,
    details: inOrder(failure.details),
    headers: {
      Location: location,
      ...ownHeaders(failure),
      ...(isReplayed && { 'Idempotent-Replayed': 'true' }),
    },
  });
}

/** 503 for an import whose end could not be written down; its report tells of it soon. */
export function lostImport(place: ImportPlace, cause: unknown): AppError {
  return new AppError('unavailable', DATABASE_AWAY, {
    cause,
    headers: { Location: locationOf(place), ...ownHeaders({ code: 'unavailable' }) },
  });
}

/** 404 for an import whose datagrid was deleted for good while it ran, with its report. */
export function purgedImport(place: ImportPlace): AppError {
  const { code, message } = notFound();
  return new AppError(code, message, { headers: { Location: locationOf(place) } });
}

const locationOf = ({ datagridId, id }: ImportPlace): string =>
  `/${PUBLIC_API}/datagrids/${datagridId}/imports/${id}`;

/** Failures that are nothing to do with what was sent, and so would be worth another attempt. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'request_timeout',
  'internal',
  'unavailable',
]);

/** 409: with its key the import is never carried out again, whatever has ended it. */
function overFor({ nextLine }: ImportReport, { message }: ImportFailure): ImportFailure {
  const line = String(nextLine ?? 1);
  return failureOf(
    conflict(
      `The import with this Idempotency-Key failed: ${message} Continue from line ${line} with a new key.`,
    ),
  );
}

/** The headers that go with a code wherever it is answered. */
function ownHeaders({ code }: Pick<ImportFailure, 'code'>): Record<string, string> {
  if (code === 'unauthenticated') return { 'WWW-Authenticate': 'Bearer' };
  return code === 'unavailable' ? { 'Retry-After': '1' } : {};
}
