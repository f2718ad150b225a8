import { JsonResponse } from '../../common/envelope/json-response';
import { AppError, conflict, type ErrorCode, notFound } from '../../common/error/app-error';
import { PUBLIC_API } from '../../platform/http/access';
import { type ImportDto, toImportDto } from '../dto/import.dto';
import type { ImportFailure, ImportReport } from '../job/import.entity';
import type { ImportRef } from '../job/import.repository';
import { CANCELLED, DATABASE_AWAY, failureOf, inOrder } from '../progress/import-progress';

/**
 * Returns the response to the start of an import: its report and the location of the report.
 * @throws AppError if the import failed, with the location in a header.
 */
export function importResponse(
  report: ImportReport,
  { isReplayed, cause }: { isReplayed: boolean; cause?: unknown },
): JsonResponse<ImportDto> {
  const { state } = report;
  const location = locationOf(report);
  if (state === 'running' || state === 'completed') {
    const status = state === 'completed' ? 201 : 202;
    const headers = { Location: location, ...(isReplayed && { 'Idempotent-Replayed': 'true' }) };
    return JsonResponse.printed(JSON.stringify(toImportDto(report)), { status, headers });
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

/**
 * Returns a 503 error for an import whose result could not be stored. Its report shows the result
 * soon.
 */
export function lostImport(importRef: ImportRef, cause: unknown): AppError {
  return new AppError('unavailable', DATABASE_AWAY, {
    cause,
    headers: { Location: locationOf(importRef), ...ownHeaders({ code: 'unavailable' }) },
  });
}

/**
 * Returns a 404 error for an import whose datagrid was permanently deleted, with the report, while
 * it ran.
 */
export function purgedImport(importRef: ImportRef): AppError {
  const { code, message } = notFound();
  return new AppError(code, message, { headers: { Location: locationOf(importRef) } });
}

const locationOf = ({ datagridId, id }: ImportRef): string =>
  `/${PUBLIC_API}/datagrids/${datagridId}/imports/${id}`;

/** Errors that were not caused by the request. A client would normally retry after them. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'request_timeout',
  'internal',
  'unavailable',
]);

/**
 * Returns a 409 error for a key whose import has failed: an import never runs again with the same
 * key.
 */
function overFor({ nextLine }: ImportReport, { message }: ImportFailure): ImportFailure {
  const line = String(nextLine ?? 1);
  return failureOf(
    conflict(
      `The import with this Idempotency-Key failed: ${message} Continue from line ${line} with a new key.`,
    ),
  );
}

/** Returns the headers that belong to an error code in any response. */
function ownHeaders({ code }: Pick<ImportFailure, 'code'>): Record<string, string> {
  if (code === 'unauthenticated') return { 'WWW-Authenticate': 'Bearer' };
  return code === 'unavailable' ? { 'Retry-After': '1' } : {};
}
