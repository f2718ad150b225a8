import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { headersOf } from './attack-client';

const agent = new Agent({ keepAlive: true });

/** Reads a response to its end without decompressing it, as a client without a key. */
export async function read(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers }> {
  const sent = request(url, { agent, headers: { 'accept-encoding': 'gzip', ...headers } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode ?? 0, headers: headersOf(response) };
}

/** Closes the connections that `read` has kept. */
export function closeConnections(): void {
  agent.destroy();
}
