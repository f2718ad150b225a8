import type { FileFormat } from '../read/csv-input';
import type { ImportRecord, ImportReport } from '../job/import-report';
import { inOrder } from '../run/import-failures';
import type { ImportDto, ImportSummaryDto } from './import.dto';

export function toSummaryDto(record: ImportRecord): ImportSummaryDto {
  const { id, datagridId, state, options, failure, startedAt, finishedAt } = record;
  const { rowsRead, created, updated, unchanged, refused, nextLine, createdColumns } = record;
  const { format, mode, matchOn, onError } = options;
  // Imports of a release before have neither.
  const { delimiter = null, encoding = null } = options as Partial<FileFormat>;
  return {
    id,
    datagridId,
    state,
    format,
    delimiter,
    encoding,
    mode,
    matchOn,
    onError,
    rowsRead,
    created,
    updated,
    unchanged,
    rejected: refused,
    committedRows: created + updated + unchanged,
    nextLine,
    rowsPerSecond: Math.round(doneRows(record) / Math.max(record.seconds, 0.001)),
    secondsLeft: secondsLeft(record),
    createdColumns,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

export function toImportDto(report: ImportReport): ImportDto {
  const errors = report.errors.map(({ line, details }) => ({ line, details: inOrder(details) }));
  return Object.assign(toSummaryDto(report), { errors });
}

const doneRows = ({ created, updated, unchanged, refused }: ImportRecord): number =>
  created + updated + unchanged + refused;

/** By the share of the body that has come, and the rows in it. */
function secondsLeft(record: ImportRecord): number | null {
  const { state, totalBytes, readBytes, rowsRead, seconds } = record;
  const done = doneRows(record);
  if (state !== 'running' || !totalBytes || readBytes === 0 || done === 0) return null;
  const allRows = rowsRead * (totalBytes / readBytes);
  return Math.max(0, Math.round((seconds * (allRows - done)) / done));
}
