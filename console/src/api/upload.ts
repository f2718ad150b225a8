import { text } from '../text/text';
import { readError } from './api-response';
import { ApiError, isApiError } from './api-error';
import { isRetryable, urlOf, type RequestOptions } from './client';
import { csrfToken } from './csrf';
import { emitApiEvent } from './events';

export interface UploadOptions {
  readonly query: RequestOptions['query'];
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Sends a file and reports its progress, which `fetch` does not.
 * @param path Under `/console/api`.
 * @returns the response, with any status.
 * @throws ApiError if there is no response (`unreachable`).
 */
export async function uploadFile(
  path: string,
  file: File,
  options: UploadOptions,
  waits = 0,
): Promise<Response> {
  try {
    const response = await sendFile(path, file, options);
    if (response.ok) emitApiEvent({ kind: 'reached' });
    else if (await isRetryable(await readError(response.clone()), 'POST', options, waits)) {
      return await uploadFile(path, file, options, waits + 1);
    }
    return response;
  } catch (error) {
    if (isApiError(error, 'unreachable') && !options.signal.aborted) {
      emitApiEvent({ kind: 'outage', error });
    }
    throw error;
  }
}

function sendFile(path: string, file: File, options: UploadOptions): Promise<Response> {
  const { query, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('POST', urlOf(path, query));
    const token = csrfToken();
    const headers = {
      Accept: 'application/json',
      ...options.headers,
      ...(token === undefined ? {} : { 'X-CSRF-Token': token }),
    };
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    const fail = (message: string) => () => {
      reject(new ApiError(0, 'unreachable', message));
    };
    call.upload.onprogress = ({ loaded, total }) => {
      onProgress(total > 0 ? loaded / total : 0);
    };
    call.onload = () => {
      resolve(new Response(call.responseText, { status: call.status, headers: headersOf(call) }));
    };
    call.onerror = fail(text.server.uploadBroke);
    call.onabort = fail(text.server.uploadStopped);
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
