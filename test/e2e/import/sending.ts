import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { API, type ApiResponse, type ApiClient, type Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf } from '../../support/fixture';
import type { Member } from '../../support/test-app';

const CSV = { 'content-type': 'text/csv' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

type Body = string | Uint8Array;

/** Imports CSV. A non-empty `query` begins with `?`. */
export function importCsv(
  api: ApiClient,
  grid: string,
  body: Body,
  query = '',
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return api.post(`${grid}/rows/import${query}`, body, { ...CSV, ...headers });
}

export function importNdjson(
  api: ApiClient,
  grid: string,
  body: Body,
  query = '',
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return api.post(`${grid}/rows/import${query}`, body, { ...NDJSON, ...headers });
}

/** Reads the report at a response's `Location`. */
export async function reportOf(api: ApiClient, response: ApiResponse): Promise<Json> {
  const location = response.headers.get('location') ?? '';
  expect(location).toMatch(/^\/api\/v1\/public\/datagrids\/[0-9a-f-]{36}\/imports\/[0-9a-f-]{36}$/);
  return dataOf(await api.get(location.slice(API.length)), 200);
}

/**
 * Waits for an import to complete and returns its report. A slow import, as on a busy machine,
 * responds with 202 before its end.
 */
export async function completed(api: ApiClient, response: ApiResponse): Promise<Json> {
  if (response.status !== 202) return dataOf(response, 201);
  return eventually(async () => {
    const report = await reportOf(api, response);
    expect(['running', 'completed']).toContain(report.state);
    return report.state === 'completed' && report;
  });
}

/** Returns the values of the first 200 rows, in order. */
export async function valuesOf(api: ApiClient, grid: string): Promise<Json[]> {
  const { body } = await api.get(`${grid}/rows?limit=200`);
  return (body.data as Json[]).map(({ values }) => values);
}

/** Returns each detail of the rejected lines as `line field code`. */
export function rejections(report: Json): string[] {
  return (report.errors as Json[]).flatMap(({ line, details }) =>
    (details as Json[]).map(({ field, code }) => `${line} ${field} ${code}`),
  );
}

/** An import whose body is sent in parts. */
export class SlowImport {
  readonly response: Promise<{ status: number; headers: IncomingMessage['headers']; body: Json }>;

  private constructor(private readonly sent: ClientRequest) {
    this.response = new Promise((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (message) => {
        let text = '';
        message.setEncoding('utf8').on('data', (part: string) => (text += part));
        message.on('end', () => {
          const { statusCode = 0, headers } = message;
          resolve({ status: statusCode, headers, body: JSON.parse(text) });
        });
      });
    });
    this.response.catch(() => undefined);
  }

  static start(
    { port }: { readonly port: number },
    { key }: Pick<Member, 'key'>,
    grid: string,
    query = '',
    headers: Record<string, string | number> = {},
  ): SlowImport {
    const sent = request({
      port,
      method: 'POST',
      path: `${API}${grid}/rows/import${query}`,
      headers: { authorization: `Bearer ${key}`, ...NDJSON, ...headers },
      agent: false,
    });
    return new SlowImport(sent);
  }

  /** @returns true if more can be sent without waiting. */
  write(part: Body): boolean {
    return this.sent.write(part);
  }

  end(text = ''): void {
    this.sent.end(text);
  }

  /** Destroys the connection. */
  cut(): void {
    this.sent.destroy();
  }
}

/** Returns lines of NDJSON with `n` from `from` to `to`. */
export function numbered(from: number, to: number): string {
  let text = '';
  for (let n = from; n <= to; n += 1) text += `{"n":${String(n)}}\n`;
  return text;
}
