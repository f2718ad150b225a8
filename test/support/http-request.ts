import { type IncomingMessage, request } from 'node:http';
import * as zlib from 'node:zlib';

export interface HttpResponse {
  readonly status: number;
  /** The content type. */
  readonly type: string | undefined;
  readonly headers: Headers;
  /** The body, decompressed. */
  readonly text: string;
}

type Decoder = (body: Buffer) => Buffer;

const DECODERS: Readonly<Record<string, Decoder>> = {
  br: (body) => zlib.brotliDecompressSync(body),
  gzip: (body) => zlib.gunzipSync(body),
  // Node 20 lacks it.
  zstd: (body) => (zlib as unknown as { zstdDecompressSync: Decoder }).zstdDecompressSync(body),
};

/** Returns the text of a body that was sent with this `Content-Encoding`. */
export function decoded(body: Buffer, coding: string | undefined): string {
  const decode = coding === undefined || body.length === 0 ? undefined : DECODERS[coding];
  return (decode?.(body) ?? body).toString();
}

/** Sends a request and reads the whole response. Takes a third of the CPU time that `fetch` takes. */
export async function httpRequest(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
): Promise<HttpResponse> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { method, headers: { ...length, ...headers } };
  const parts: Buffer[] = [];
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, options, (received) => {
      received.on('data', (part: Buffer) => parts.push(part));
      received.once('error', reject);
      received.once('end', () => {
        resolve(received);
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
  return read(response, Buffer.concat(parts));
}

function read(response: IncomingMessage, body: Buffer): HttpResponse {
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'],
    get headers() {
      return headersOf(response);
    },
    text: decoded(body, response.headers['content-encoding']),
  };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
  return headers;
}
