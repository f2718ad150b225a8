import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { API, type Answer, type ApiClient, type Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf } from '../../support/fixture';
import type { Member } from '../../support/test-app';

const CSV = { 'content-type': 'text/csv' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

type Body = string | Uint8Array;

/** Imports CSV; `query` begins with a question mark. */
export function importCsv(
  api: ApiClient,
  grid: string,
  body: Body,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  return api.post(`${grid}/rows/import${query}`, body, { ...CSV, ...headers });
}

export function importNdjson(
  api: ApiClient,
  grid: string,
  body: Body,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  return api.post(`${grid}/rows/import${query}`, body, { ...NDJSON, ...headers });
}

/** The report that an answer's `Location` leads to. */
export async function reportOf(api: ApiClient, answer: Answer): Promise<Json> {
  const location = answer.headers.get('location') ?? '';
  expect(location).toMatch(/^\/api\/v1\/public\/datagrids\/[0-9a-f-]{36}\/imports\/[0-9a-f-]{36}$/);
  return dataOf(await api.get(location.slice(API.length)), 200);
}

/**
 * The report of an import that comes to its end. Where that takes long, as on a busy machine, it is
 * answered before.
 */
export async function completed(api: ApiClient, answer: Answer): Promise<Json> {
  if (answer.status !== 202) return dataOf(answer, 201);
  return eventually(async () => {
    const report = await reportOf(api, answer);
    expect(['running', 'completed']).toContain(report.state);
    return report.state === 'completed' && report;
  });
}

/** The values of all rows, in order. */
export async function valuesOf(api: ApiClient, grid: string): Promise<Json[]> {
  const { body } = await api.get(`${grid}/rows?limit=200`);
  return (body.data as Json[]).map(({ values }) => values);
}

/** Refused lines as `line field code`, a detail each. */
export function refusals(report: Json): string[] {
  return (report.errors as Json[]).flatMap(({ line, details }) =>
    (details as Json[]).map(({ field, code }) => `${line} ${field} ${code}`),
  );
}

/** A request whose body is sent bit by bit. */
export class SlowImport {
  readonly answer: Promise<{ status: number; headers: IncomingMessage['headers']; body: Json }>;

  private constructor(private readonly sent: ClientRequest) {
    this.answer = new Promise((resolve, reject) => {
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
    this.answer.catch(() => undefined);
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

  /** @returns whether more can be sent without waiting. */
  write(part: Body): boolean {
    return this.sent.write(part);
  }

  end(text = ''): void {
    this.sent.end(text);
  }

  /** Cuts the connection. */
  cut(): void {
    this.sent.destroy();
  }
}

/** Lines of NDJSON with `n` from one number to another. */
export function numbered(from: number, to: number): string {
  let text = '';
  for (let n = from; n <= to; n += 1) text += `{"n":${String(n)}}\n`;
  return text;
}
