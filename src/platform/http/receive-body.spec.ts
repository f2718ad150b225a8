import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { receiveBody } from './receive-body';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const BOUNDLESS = { sent: () => undefined, kept: () => undefined };
const MANY = 5_000;

function incoming(headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers });
}

describe('a body', () => {
  it('that comes by the byte takes no more memory than it is long', async () => {
    const request = incoming();
    const body = receiveBody(request, BOUNDLESS);
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

  it('is told of as it is sent and as it is inflated', async () => {
    const zipped = gzipSync('a'.repeat(100_000));
    const told = { sent: 0, kept: 0 };
    const request = incoming({ 'content-encoding': 'gzip' });
    const body = receiveBody(request, {
      sent: (bytes) => (told.sent = bytes),
      kept: (bytes) => (told.kept = bytes),
    });
    request.push(zipped);
    request.push(null);
    expect((await body).length).toBe(100_000);
    expect(told).toEqual({ sent: zipped.length, kept: 100_000 });
  });

  it('is refused by what is thrown for it, and read off behind', async () => {
    const request = incoming();
    const body = receiveBody(request, {
      ...BOUNDLESS,
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
