import { changesOf, type ChangeOptions, type ChangePage, movedValues } from './changes.ts';
import {
  type Answer,
  busy,
  failure,
  fakeTransport,
  json,
  type Sent,
} from './testing/fake-fetch.ts';

const page = (nextCursor: string, upToDate: boolean, ids: readonly number[] = []): Answer =>
  json({
    data: ids.map((id) => ({ op: 'delete', id, revision: id })),
    meta: { nextCursor, upToDate, pageSize: ids.length },
  });

interface Result {
  readonly pages: ChangePage<object>[];
  readonly sent: Sent[];
}

/** Reads up to `count` pages. */
async function read(
  answers: readonly Answer[],
  options: ChangeOptions,
  count = Infinity,
): Promise<Result> {
  const { transport, sent } = fakeTransport(answers);
  const pages: ChangePage<object>[] = [];
  for await (const each of changesOf<object>(transport, '/datagrids/1', options)) {
    pages.push(each);
    if (pages.length === count) break;
  }
  return { pages, sent };
}

const cursors = ({ sent }: Result): (string | null)[] =>
  sent.map(({ url }) => url.searchParams.get('cursor'));

describe('changes', () => {
  it('are read from the beginning up to the last one', async () => {
    const answers = [page('a', false, [1]), page('b', false), page('c', true, [2])];
    const result = await read(answers, { follow: false });
    expect(result.pages).toEqual([
      {
        changes: [expect.objectContaining({ id: 1 })],
        cursor: 'a',
        isUpToDate: false,
        isRestart: true,
      },
      { changes: [], cursor: 'b', isUpToDate: false, isRestart: false },
      {
        changes: [expect.objectContaining({ id: 2 })],
        cursor: 'c',
        isUpToDate: true,
        isRestart: false,
      },
    ]);
    expect(cursors(result)).toEqual([null, 'a', 'b']);
    expect(result.sent[0]?.url.searchParams.has('wait')).toBe(false);
  });

  it('continue from a cursor, and wait for further ones', async () => {
    const answers = [page('b', true), page('c', true, [1]), page('d', true, [2])];
    const result = await read(answers, { cursor: 'a', authors: true, limit: 5 }, 3);
    expect(result.pages.map(({ cursor, isRestart }) => [cursor, isRestart])).toEqual([
      ['b', false],
      ['c', false],
      ['d', false],
    ]);
    expect(cursors(result)).toEqual(['a', 'b', 'c']);
    expect(Object.fromEntries(result.sent[0]?.url.searchParams ?? [])).toEqual({
      cursor: 'a',
      limit: '5',
      wait: '30',
      include: 'author',
    });
  });

  it('start over if the cursor has expired', async () => {
    const answers = [failure(410, 'cursor_expired'), page('b', false, [1]), page('c', true, [2])];
    const result = await read(answers, { cursor: 'a', follow: false });
    expect(result.pages.map(({ isRestart }) => isRestart)).toEqual([true, false]);
    expect(cursors(result)).toEqual(['a', null, 'b']);
  });

  it('are followed through any number of failures, but a number of them ends a single reading', async () => {
    const failures = Array.from({ length: 20 }, () => busy);
    const result = await read([...failures, page('b', true)], { cursor: 'a' }, 1);
    expect(result.pages).toHaveLength(1);
    expect(new Set(cursors(result))).toEqual(new Set(['a']));
    await expect(read(failures, { cursor: 'a', follow: false })).rejects.toMatchObject({
      status: 503,
    });
  });

  it('end with an error that is not transient', async () => {
    const forbidden = failure(403, 'forbidden');
    await expect(read([forbidden], { cursor: 'a' })).rejects.toMatchObject({ code: 'forbidden' });
    const expired = failure(410, 'cursor_expired');
    await expect(read([expired], {})).rejects.toMatchObject({ code: 'cursor_expired' });
  });
});

describe('the values of a row after a change of columns', () => {
  const columns = (
    ...keys: readonly (readonly [number, string])[]
  ): { id: number; key: string }[] => keys.map(([id, key]) => ({ id, key }));

  it('are under the new keys, also if two columns exchange them', () => {
    const before = columns([1, 'a'], [2, 'b'], [3, 'c']);
    const after = columns([1, 'b'], [2, 'a'], [3, 'd']);
    expect(movedValues({ a: 1, b: 2, c: 3 }, before, after)).toEqual({ b: 1, a: 2, d: 3 });
    expect(movedValues({ b: 2 }, before, after)).toEqual({ a: 2 });
  });

  it('are those of columns that still exist, even if another column has the key', () => {
    const before = columns([1, 'a'], [2, 'b']);
    expect(movedValues({ a: 1, b: 2 }, before, columns([2, 'b'], [3, 'a']))).toEqual({ b: 2 });
  });
});
