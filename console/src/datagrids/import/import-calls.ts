import { isApiError } from '../../api/api-error';
import { readAnswer, type Answer } from '../../api/answer';
import { dataPath, dataRequest } from '../../api/data';
import { uploadFile } from '../../api/upload';
import { datagridPath } from '../datagrid-calls';
import { fileHeaders, type ImportReport } from './import-report';

export interface ImportSettings {
  readonly onError: 'abort' | 'skip';
  /** Unique columns that rows are known by; a row of each line where there are none. */
  readonly matchOn: readonly string[];
  readonly createColumns: boolean;
}

export interface Upload {
  readonly datagridId: string;
  readonly file: File;
  readonly settings: ImportSettings;
  /** The same one again asks what became of the first. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Sends a file to be written.
 *
 * @returns The report so far: of a long import, it goes on.
 * @throws ApiError Where it failed and has no report.
 */
export async function startImport(given: Upload): Promise<ImportReport> {
  const { datagridId, file, settings, key, signal, onProgress } = given;
  const { onError, matchOn, createColumns } = settings;
  const path = dataPath(`${datagridPath(datagridId)}/rows/import`);
  const response = await uploadFile(path, file, {
    query: {
      onError,
      mode: matchOn.length > 0 ? 'upsert' : 'insert',
      matchOn: matchOn.length > 0 ? matchOn.join(',') : undefined,
      createColumns: createColumns ? true : undefined,
    },
    headers: { ...fileHeaders(file.name), 'Idempotency-Key': key },
    signal,
    onProgress,
  });
  const importId = response.headers.get('Location')?.split('/').at(-1);
  try {
    return (await readAnswer<ImportReport>(response)).data;
  } catch (error) {
    if (importId === undefined) throw error;
    return (await readReport(datagridId, importId)).data;
  }
}

export function readReport(
  datagridId: string,
  importId: string,
  signal?: AbortSignal,
): Promise<Answer<ImportReport>> {
  const path = `${datagridPath(datagridId)}/imports/${importId}`;
  return dataRequest<ImportReport>('GET', path, { signal });
}

/**
 * Ends an import whose file is not sent to its end: its key alone asks what became of it.
 *
 * @returns The report so far, as `startImport`.
 */
export async function stopImport(given: Omit<Upload, 'onProgress'>): Promise<ImportReport> {
  const nothing = new File([], given.file.name);
  const report = await startImport({ ...given, file: nothing, onProgress: () => undefined });
  if (report.state === 'running') await cancelImport(given.datagridId, report.id);
  return report;
}

/** Ends one that is written. What it has written stays. */
export async function cancelImport(datagridId: string, importId: string): Promise<void> {
  try {
    await dataRequest('DELETE', `${datagridPath(datagridId)}/imports/${importId}`);
  } catch (error) {
    // It has come to its end by itself.
    if (!isApiError(error, 'conflict')) throw error;
  }
}
