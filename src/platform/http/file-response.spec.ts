import type { Response } from 'express';
import * as zlib from 'node:zlib';
import { CODINGS_HERE } from './compress';
import { FileResponse } from './file-response';

const TEXT = JSON.stringify({ long: 'x'.repeat(20_000) });

/** Returns the bytes and headers that a client with this `Accept-Encoding` receives. */
async function read(
  prepared: FileResponse,
  encoding: string,
): Promise<{ readonly bytes: Buffer; readonly headers: ReadonlyMap<string, unknown> }> {
  const headers = new Map<string, unknown>();
  let bytes: Buffer | undefined;
  const response = {
    req: { method: 'GET', headers: { 'accept-encoding': encoding } },
    setHeader: (name: string, value: unknown) => headers.set(name, value),
    end: (body: Buffer) => {
      bytes = body;
    },
  };
  await prepared.send(response as unknown as Response);
  return { bytes: bytes ?? Buffer.alloc(0), headers };
}

describe('FileResponse', () => {
  const response = FileResponse.prepared(TEXT, { 'Content-Type': 'application/json' });

  it.each(['identity', ...CODINGS_HERE])('sends the same bytes each time in %s', async (coding) => {
    const [first, second] = await Promise.all([read(response, coding), read(response, coding)]);
    expect(second.bytes).toBe(first.bytes);
    expect((await read(response, coding)).bytes).toBe(first.bytes);
    expect(first.headers.get('Content-Length')).toBe(first.bytes.length);
    expect(first.headers.get('Content-Type')).toBe('application/json');
  });

  it('sends bytes that decompress to its content', async () => {
    const { bytes, headers } = await read(response, 'gzip');
    expect(zlib.gunzipSync(bytes).toString()).toBe(TEXT);
    expect(headers.get('ETag')).toMatch(/^"[\w-]{27}\.gzip"$/);
  });
});
