import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../eventually';
import type { Placeholders } from './placeholders';
import type { Shell } from './shell';
import type { Example, ShownResponse } from './story';

/**
 * Runs an example in the shell of a reader.
 * @returns the response that the document should show.
 */
export async function play(
  { script, isRepeated, response }: Example,
  shell: Shell,
  placeholders: Placeholders,
): Promise<ShownResponse> {
  const call = async (): Promise<ShownResponse> => {
    const printed = await shell.run(placeholders.toActual(script));
    return responseToShow(printed, response, placeholders);
  };
  if (!isRepeated) return call();
  return eventually(async () => {
    const seen = await call();
    return isDeepStrictEqual(seen, response) && seen;
  });
}

/** Reads a response as `curl -i` prints it. */
function responseToShow(
  printed: string,
  shown: ShownResponse,
  placeholders: Placeholders,
): ShownResponse {
  // With curl -I, there is no body.
  const [, head = '', body = ''] = /^(.*?)\r\n\r\n?(.*)$/s.exec(`${printed}\r\n`) ?? [];
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const at = line.indexOf(':');
    headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  const text = body.trim();
  const isJson = (headers.get('content-type') ?? '').startsWith('application/json');
  const content: unknown = isJson && text !== '' ? JSON.parse(text) : `${text}\n`;
  return {
    statusLine: statusLine.trim(),
    headers: Object.fromEntries(
      Object.entries(shown.headers).map(([name, value]) => [
        name,
        placeholders.header(name, value, headers.get(name)),
      ]),
    ),
    body:
      text === '' ? undefined : placeholders.body(shown.body, content, headers.get('x-request-id')),
  };
}
