import { gunzipSync } from 'node:zlib';
import { compress, canCompressWithoutWaiting } from './compress';

const SMALL = 20_000;
const LARGE = 1024 * 1024;

describe('compress', () => {
  it('compresses two large texts at a time, and small ones in parallel', async () => {
    const texts = ['a', 'b', 'c', 'd'].map((letter) => Buffer.alloc(LARGE, letter));
    expect(canCompressWithoutWaiting(LARGE)).toBe(true);
    const ended: string[] = [];
    const compressed = texts.map(async (text) => {
      const bytes = await compress(text, 'gzip');
      ended.push(text.toString('utf8', 0, 1));
      return gunzipSync(bytes).equals(text);
    });
    expect([SMALL, LARGE - 1, LARGE].map(canCompressWithoutWaiting)).toEqual([true, true, false]);
    expect(gunzipSync(await compress(Buffer.alloc(SMALL, 'e'), 'gzip')).length).toBe(SMALL);
    expect(await Promise.all(compressed)).toEqual([true, true, true, true]);
    // The third began when one of the first two had ended, and the fourth after that.
    expect(['a', 'b']).toContain(ended[0]);
    expect(canCompressWithoutWaiting(LARGE)).toBe(true);
  });
});
