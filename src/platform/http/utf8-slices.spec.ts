import { setImmediate as turn } from 'node:timers/promises';
import { encodeInSlices, utf8Slices } from './utf8-slices';

const MILLION = 1_000_000;

describe('a text in slices', () => {
  it.each([
    ['empty', ''],
    ['short', 'Zürich'],
    ['of one-byte characters', 'é'.repeat(MILLION)],
    ['of characters of two halves', `x${'😀'.repeat(MILLION)}`],
    ['with halves alone', `${'\ud83d'.repeat(MILLION)}${'\ude00'.repeat(MILLION)}`],
  ])('is its UTF-8 if it is %s', async (_name, text) => {
    const slices = await encodeInSlices(text, 'account');
    expect(Buffer.concat(slices).equals(Buffer.from(text))).toBe(true);
  });

  it('leaves turns to other work', async () => {
    const slices = utf8Slices('a'.repeat(MILLION), 'account');
    const done: string[] = [];
    const other = turn().then(() => done.push('other'));
    for await (const { length } of slices) done.push(String(length));
    await other;
    expect(done).toEqual(['262144', 'other', '262144', '262144', '213568']);
  });
});
