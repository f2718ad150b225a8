import { Agent, request, type IncomingMessage } from 'node:http';
import { API, ApiClient, FileBody, type ApiResponse } from '../../support/api-client';

const agent = new Agent({ keepAlive: true });

/**
 * Calls the API and discards the responses, because an attacker on another machine would not use
 * CPU time of the service. Responses have neither text nor body.
 */
export class AttackClient extends ApiClient {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly basePath = API,
  ) {
    super(url, apiKey, basePath);
  }

  override send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const [type, bytes] = bodyOf(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.url}${this.basePath}${path}`, {
        method,
        agent,
        headers: {
          authorization: `Bearer ${this.apiKey}`,
          'accept-encoding': 'gzip, deflate',
          ...(bytes && { 'content-type': type, 'content-length': bytes.length }),
          ...headers,
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        response.on('error', reject);
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          resolve({ status, headers: headersOf(response), text: '', body: undefined });
        });
        response.resume();
      });
      outgoing.end(bytes);
    });
  }
}

export function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function bodyOf(body: unknown): [type: string, bytes: Buffer | undefined] {
  if (body instanceof FileBody) return [body.type, Buffer.from(body.text)];
  const type = 'application/json';
  if (body === undefined) return [type, undefined];
  if (body instanceof Uint8Array) return [type, Buffer.from(body)];
  return [type, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))];
}
