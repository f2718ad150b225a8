import { ApiError } from '../../api/api-error';
import { readAnswer, type Answer } from '../../api/answer';
import { urlOf } from '../../api/client';
import { csrfToken } from '../../api/csrf';
import { dataPath, dataRequest } from '../../api/data';
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
 * Sends a file. Only this old way of asking tells how much of it is sent.
 *
 * @returns The report so far: of a long import, it goes on.
 * @throws ApiError Where it failed and has no report.
 */
export async function upload(given: Upload): Promise<ImportReport> {
  const { datagridId, settings } = given;
  const { onError, matchOn, createColumns } = settings;
  const response = await send(
    given,
    urlOf(dataPath(`${datagridPath(datagridId)}/rows/import`), {
      onError,
      mode: matchOn.length > 0 ? 'upsert' : 'insert',
      matchOn: matchOn.length > 0 ? matchOn.join(',') : undefined,
      createColumns: createColumns ? true : undefined,
    }),
  );
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

export async function cancelImport(datagridId: string, importId: string): Promise<void> {
  await dataRequest('DELETE', `${datagridPath(datagridId)}/imports/${importId}`);
}

function send({ file, key, signal, onProgress }: Upload, url: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('POST', url);
    const headers = {
      ...fileHeaders(file.name),
      'Idempotency-Key': key,
      Accept: 'application/json',
    };
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    const token = csrfToken();
    if (token !== undefined) call.setRequestHeader('X-CSRF-Token', token);
    call.upload.onprogress = ({ loaded, total }) => {
      onProgress(total > 0 ? loaded / total : 0);
    };
    call.onload = () => {
      resolve(new Response(call.responseText, { status: call.status, headers: headersOf(call) }));
    };
    call.onerror = () => {
      reject(new ApiError(0, 'unreachable', 'The connection broke.'));
    };
    call.onabort = () => {
      reject(new ApiError(0, 'unreachable', 'The upload was stopped.'));
    };
    signal.addEventListener('abort', () => {
      call.abort();
    });
    call.send(file);
  });
}

function headersOf(call: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of call.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}
