import type { ServerResponse } from 'node:http';
import type { AppRequest } from '../../common/caller/app-request';
import { PUBLIC_API } from './public-api';

/** The base of the console's own calls, without slashes at its ends. */
export const CONSOLE_API = 'console/api';

/** Below it are the routes of the public API, for who is signed in to the console. */
const DATA_WAY = `/${CONSOLE_API}/data`;
const PUBLIC_BASE = `/${PUBLIC_API}`;

/** Headers that name routes. */
const LEADING = ['Location', 'Link'];

/**
 * Leads what the console asks for below its data way to the same route of the public API, marked so
 * that the session is asked for instead of a key. Nothing that a client sends can set the mark.
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

/** What the answer's headers lead to is to be had by the same way. */
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
