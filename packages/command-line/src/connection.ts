import {
  ApiError,
  type Client,
  ConnectionError,
  createClient,
  type Fetch,
  type Query,
  type Retry,
} from '@datagrid/client';
import type { Command } from 'commander';
import { Agent, fetch } from 'undici';

/** Thrown when a command is called incorrectly. Reported as one line. */
export class WrongUsage extends Error {}

/** Thrown for an expected failure. Only its message is reported, without a stack trace. */
export class Failure extends Error {}

/**
 * Creates the client of a command. The URL comes from `--url` or `DATAGRID_URL`, with or without a path,
 * and the key from `DATAGRID_API_KEY`, because the arguments of a process are visible to others.
 * @throws WrongUsage if either is missing or invalid.
 */
export function clientOf(
  command: Command,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Client {
  const { url = env['DATAGRID_URL'] ?? '' } = command.optsWithGlobals<{ url?: string }>();
  const apiKey = env['DATAGRID_API_KEY'] ?? '';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new WrongUsage(
      'Set DATAGRID_URL or --url to the URL of the service, such as http://localhost:3000.',
    );
  }
  if (apiKey === '') throw new WrongUsage('Set DATAGRID_API_KEY to an API key.');
  return createClient({ baseUrl: url, apiKey, fetch: unlimitedFetch(), onRetry: reportRetry });
}

/**
 * Returns a `fetch` without time limits between bytes. That of Node.js ends an import whose source is
 * slow, or an export that is sorted before its first row, after 5 minutes.
 */
function unlimitedFetch(): Fetch {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const send = fetch as unknown as (url: string, init: object) => Promise<Response>;
  return (url, init) => send(url, { ...init, dispatcher });
}

function reportRetry({ error, waitMs }: Retry): void {
  const seconds = (waitMs / 1000).toFixed(1);
  process.stderr.write(`${explain(error) ?? error.message}\nRetrying in ${seconds} s.\n`);
}

/** Returns the text of an expected error; `undefined` for an error in this program. */
export function explain(error: unknown): string | undefined {
  if (error instanceof ApiError) return explainResponse(error);
  const isExpected = [ConnectionError, Failure, WrongUsage].some((kind) => error instanceof kind);
  return isExpected ? (error as Error).message : undefined;
}

function explainResponse({ code, message, details, requestId, location }: ApiError): string {
  if (code === 'unexpected_response') return message;
  const places = details.map((detail) => `  ${detail.field}: ${detail.message}`);
  const report = location === null ? [] : [`  report: ${location}`];
  return [`${code}: ${message} (request ${String(requestId)})`, ...places, ...report].join('\n');
}

/** Prints the response to a `GET` as the API returns it. */
export async function printResponse(command: Command, path: string, query?: Query): Promise<void> {
  const { text } = await clientOf(command).request({ method: 'GET', path, query });
  process.stdout.write(`${text}\n`);
}
