import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { receiveBody } from './receive-body';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const UNLIMITED = { sent: () => undefined, kept: () => undefined };
const MANY = 5_000;

function incoming(headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers });
}

describe('receiveBody', () => {
  it('uses no more memory than the length of a body that arrives byte by byte', async () => {
    const request = incoming();
    const body = receiveBody(request, UNLIMITED);
    const chunks: WeakRef<Buffer>[] = [];
    for (let n = 0; n < MANY; n += 1) {
      const chunk = Buffer.from([97 + (n % 26)]);
      chunks.push(new WeakRef(chunk));
      request.push(chunk);
      if (n % 100 === 0) await turn();
    }
    await turn();
    collectGarbage();
    const left = chunks.filter((chunk) => chunk.deref() !== undefined).length;
    // The chunks that are not merged yet.
    expect(left).toBeLessThan(300);
    request.push(null);
    const text = (await body).toString();
    expect([text.length, text.slice(0, 27), text.slice(-2)]).toEqual([
      MANY,
      'abcdefghijklmnopqrstuvwxyza',
      'gh',
    ]);
  });

  it('reports the bytes received and the bytes after decompression', async () => {
    const zipped = gzipSync('a'.repeat(100_000));
    const reported = { sent: 0, kept: 0 };
    const request = incoming({ 'content-encoding': 'gzip' });
    const body = receiveBody(request, {
      sent: (bytes) => (reported.sent = bytes),
      kept: (bytes) => (reported.kept = bytes),
    });
    request.push(zipped);
    request.push(null);
    expect((await body).length).toBe(100_000);
    expect(reported).toEqual({ sent: zipped.length, kept: 100_000 });
  });

  it('rejects with the error of a listener and discards the rest of the body', async () => {
    const request = incoming();
    const body = receiveBody(request, {
      ...UNLIMITED,
      kept: (bytes) => {
        if (bytes > 3) throw new RangeError('enough');
      },
    });
    request.push('abc');
    request.push('d');
    await expect(body).rejects.toThrow('enough');
    request.push('rest');
    request.push(null);
    await turn();
    expect(request.readableEnded).toBe(true);
  });
});
