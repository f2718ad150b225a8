import { LocatedItem } from '../../../common/envelope/located-item';
import { AppError } from '../../../common/error/app-error';
import { PUBLIC_API } from '../../../platform/http/public-api';
import { toImportDto } from '../dto/print-import';
import type { ImportFailure, ImportReport } from '../job/import-report';
import { CANCELLED, inOrder } from './import-failures';

/**
 * What starting an import is answered by: its report, or its failure, with the place of the report
 * either way.
 * @throws AppError as the import has failed
 */
export function importAnswer(
  report: ImportReport,
  { isReplayed, cause }: { isReplayed: boolean; cause?: unknown },
): LocatedItem {
  const { datagridId, id, state } = report;
  const location = `/${PUBLIC_API}/datagrids/${datagridId}/imports/${id}`;
  if (state === 'running' || state === 'completed') {
    return new LocatedItem(toImportDto(report), location, state === 'completed', isReplayed);
  }
  const failure = report.failure ?? CANCELLED;
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

/** The headers that go with a code wherever it is answered. */
function ownHeaders({ code }: ImportFailure): Record<string, string> {
  if (code === 'unauthenticated') return { 'WWW-Authenticate': 'Bearer' };
  return code === 'unavailable' ? { 'Retry-After': '1' } : {};
}
