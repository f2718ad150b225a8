import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../eventually';
import { curlRequest, type CurlRequest } from './curl';
import type { Placeholders } from './placeholders';
import { curlsOf } from './shell';
import type { Block, Example, ShownResponse } from './story';

/** Returns the single call of a block. @throws Error if the block makes no call, or several. */
export function requestOf({ before, script }: Block, placeholders: Placeholders): CurlRequest {
  const [call, ...others] = curlsOf(placeholders.toActual(before), placeholders.toActual(script));
  if (!call || others.length > 0) throw new Error(`Not one call: ${script}`);
  return curlRequest(call);
}

/** Makes an example's call, which `requestOf` returns. @returns the response that the document should show. */
export async function play(
  example: Example,
  request: CurlRequest,
  placeholders: Placeholders,
): Promise<ShownResponse> {
  const call = (): Promise<ShownResponse> =>
    respondsAsShown(request, example.response, placeholders);
  if (!example.isRepeated) return call();
  return eventually(async () => {
    const seen = await call();
    return isDeepStrictEqual(seen, example.response) && seen;
  });
}

async function respondsAsShown(
  { url, method, headers, body }: CurlRequest,
  shown: ShownResponse,
  placeholders: Placeholders,
): Promise<ShownResponse> {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  const content: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  const requestId = response.headers.get('x-request-id');
  return {
    statusLine: `HTTP/1.1 ${String(response.status)} ${response.statusText}`,
    headers: Object.fromEntries(
      Object.entries(shown.headers).map(([name, value]) => [
        name,
        placeholders.header(name, value, response.headers.get(name)),
      ]),
    ),
    body: text === '' ? undefined : placeholders.body(shown.body, content, requestId),
  };
}
