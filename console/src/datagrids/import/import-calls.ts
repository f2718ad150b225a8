import { ApiError, isApiError } from '../../api/api-error';
import { readResponse, type ApiResponse } from '../../api/api-response';
import { dataPath, dataRequest } from '../../api/data';
import { uploadFile } from '../../api/upload';
import { importText } from '../../text/import-text';
import { datagridPath } from '../datagrid-calls';
import type { ImportReport } from './import-report';

export interface ImportSettings {
  readonly onError: 'abort' | 'skip';
  /** Unique columns that identify rows. If there are none, each line creates a row. */
  readonly matchOn: readonly string[];
}

export interface Upload {
  readonly datagridId: string;
  /** Rows as NDJSON. */
  readonly file: File;
  readonly settings: ImportSettings;
  /** Idempotency key. The same key again returns the outcome of the first request. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Sends a file to import.
 * @returns the report so far. A long import continues.
 * @throws ApiError if the import failed without a report.
 */
export async function startImport(given: Upload): Promise<ImportReport> {
  const { datagridId, file, settings, key, signal, onProgress } = given;
  const { onError, matchOn } = settings;
  const path = dataPath(`${datagridPath(datagridId)}/rows/import`);
  const response = await uploadFile(path, file, {
    query: {
      onError,
      mode: matchOn.length > 0 ? 'upsert' : 'insert',
      matchOn: matchOn.length > 0 ? matchOn.join(',') : undefined,
    },
    headers: { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': key },
    signal,
    onProgress,
  });
  const importId = response.headers.get('Location')?.split('/').at(-1);
  try {
    return (await readResponse<ImportReport>(response)).data;
  } catch (error) {
    if (importId === undefined) throw error;
    return (await readReport(datagridId, importId)).data;
  }
}

export function readReport(
  datagridId: string,
  importId: string,
  signal?: AbortSignal,
): Promise<ApiResponse<ImportReport>> {
  const path = `${datagridPath(datagridId)}/imports/${importId}`;
  return dataRequest<ImportReport>('GET', path, { signal });
}

/**
 * Ends an import whose file was only partly sent. A request with its idempotency key returns the
 * outcome.
 * @returns the report so far, as `startImport`.
 */
export async function stopImport(given: Omit<Upload, 'onProgress'>): Promise<ImportReport> {
  const nothing = new File([], given.file.name);
  const report = await startImport({ ...given, file: nothing, onProgress: () => undefined });
  if (report.state === 'running') await cancelImport(given.datagridId, report.id);
  return report;
}

/** Cancels an import that is being written. Written rows remain. */
export async function cancelImport(datagridId: string, importId: string): Promise<void> {
  try {
    await dataRequest('DELETE', `${datagridPath(datagridId)}/imports/${importId}`);
  } catch (error) {
    // The import has already ended.
    if (!isApiError(error, 'conflict')) throw error;
  }
}

export interface UndoCounts {
  readonly deleted: number;
  readonly updated: number;
}

/**
 * Undoes an import, one batch after another, the last one first.
 * @throws ApiError if rows were written since, or if others wrote between the batches. Nothing is
 *   undone then, unless a later batch of a long import was undone before.
 */
export async function undoImport(datagridId: string, report: ImportReport): Promise<UndoCounts> {
  const { firstRevision, lastRevision, created, updated } = report;
  if (firstRevision === null || lastRevision === null) return { deleted: 0, updated: 0 };
  const path = `${datagridPath(datagridId)}/rows/undo`;
  const undo = async (revision: number, dryRun: boolean): Promise<UndoCounts> =>
    (await dataRequest<UndoCounts>('POST', path, { body: { revision, dryRun } })).data;
  const revisions = Array.from(
    { length: lastRevision - firstRevision + 1 },
    (_none, at) => lastRevision - at,
  );
  if (revisions.length > 1) {
    const total = await sumOf(revisions, (revision) => undo(revision, true));
    if (total.deleted !== created || total.updated !== updated) {
      throw new ApiError(409, 'conflict', importText.undo.othersWrote);
    }
  }
  return sumOf(revisions, (revision) => undo(revision, false));
}

async function sumOf(
  revisions: readonly number[],
  read: (revision: number) => Promise<UndoCounts>,
): Promise<UndoCounts> {
  let sum: UndoCounts = { deleted: 0, updated: 0 };
  for (const revision of revisions) {
    const { deleted, updated } = await read(revision);
    sum = { deleted: sum.deleted + deleted, updated: sum.updated + updated };
  }
  return sum;
}
