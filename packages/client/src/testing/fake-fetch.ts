import { type ClientOptions, Transport } from '../transport.ts';

/** A request that a fake `fetch` received. */
export interface Sent {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export type Answer = (sent: Sent, init: RequestInit) => Response | Promise<Response>;

/** Returns a `fetch` that responds with one answer after another, and what it received. */
export function fakeFetch(...answers: readonly Answer[]): {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sent: Sent[];
} {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    init.signal?.throwIfAborted();
    const { method = '', headers, body } = init;
    const request = { url: new URL(url), method, headers: new Headers(headers), body };
    const answer = answers[sent.push(request) - 1];
    if (!answer) throw new Error(`unexpected request: ${method} ${url}`);
    return answer(request, init);
  };
  return { fetch, sent };
}

/** Returns a transport with these answers, which does not wait long before a retry. */
export function fakeTransport(
  answers: readonly Answer[],
  options: Partial<ClientOptions> = {},
): { readonly transport: Transport; readonly sent: Sent[] } {
  const { fetch, sent } = fakeFetch(...answers);
  const baseUrl = 'http://service.test/some/path';
  return { transport: new Transport({ baseUrl, apiKey: 'mk_1', fetch, ...options }), sent };
}

export const json =
  (body: unknown, init: ResponseInit = {}): Answer =>
  () =>
    Response.json(body, init);

/** A failure that may be retried at once. */
export const busy = json({}, { status: 503, headers: { 'retry-after': '0' } });

export const broken: Answer = () => {
  throw new TypeError('fetch failed', { cause: new Error('other side closed') });
};

export function failure(status: number, code: string, headers: HeadersInit = {}): Answer {
  const details = [{ field: 'values.iata', code: 'duplicate', message: 'must be unique' }];
  const error = { code, message: 'Duplicate value.', details, requestId: 'r-1' };
  return json({ error }, { status, headers });
}

/** Responds with these parts, and breaks the connection after them if `isCut`. */
export function parts(texts: readonly Uint8Array[], isCut = false): Answer {
  return () => {
    const rest = [...texts];
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          const next = rest.shift();
          if (next) controller.enqueue(next);
          else if (isCut) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      }),
      { headers: { 'content-type': 'text/csv' } },
    );
  };
}
