import type { ServerResponse } from 'node:http';
import type { AppRequest } from '../../common/caller/app-request';
import { PUBLIC_API } from './access';

/** Base path of the console's own API, without leading or trailing slash. */
export const CONSOLE_API = 'console/api';

/** Below this path are the routes of the public API, for users signed in to the console. */
const DATA_WAY = `/${CONSOLE_API}/data`;
const PUBLIC_BASE = `/${PUBLIC_API}`;

/** Response headers that contain URLs. */
const LEADING = ['Location', 'Link'];

/**
 * Rewrites URLs of console requests below the data path to the same route of the public API. Marks
 * the request, so that it needs a session and not a key. Clients cannot set that mark.
 */
export function rewriteConsoleUrl(request: AppRequest, response: ServerResponse): void {
  const { url } = request;
  if (!url.startsWith(DATA_WAY)) return;
  const rest = url.slice(DATA_WAY.length);
  if (rest !== '' && !/^[/?]/.test(rest)) return;
  request.isFromConsole = true;
  request.url = PUBLIC_BASE + rest;
  leadBack(response);
}

/** Rewrites URLs in the response's headers back to the console's path. */
function leadBack(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]): ServerResponse => {
    for (const name of LEADING) {
      const value = response.getHeader(name);
      if (typeof value === 'string') {
        response.setHeader(name, value.replaceAll(PUBLIC_BASE, DATA_WAY));
      }
    }
    return writeHead(...args);
  };
}
