import { IdList } from './id-list';

describe('IdList', () => {
  it('returns the appended ids in chunks of the requested size', () => {
    const list = new IdList();
    const ids = [1, 2, 127, 128, 129, 256, 16_384, 2 ** 31, 2 ** 31 + 1, 2 ** 53 - 1];
    list.append(ids.slice(0, 4));
    list.append([]);
    list.append(ids.slice(4));
    expect(list.count).toBe(ids.length);
    expect([...list.chunks(3)]).toEqual([
      ids.slice(0, 3),
      ids.slice(3, 6),
      ids.slice(6, 9),
      ids.slice(9),
    ]);
    expect([...list.chunks(100)]).toEqual([ids]);
  });

  it('returns nothing if nothing was appended', () => {
    expect([...new IdList().chunks(10)]).toEqual([]);
  });
});
