import { UsageCount } from './key-usage.repository';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

describe('UsageCount', () => {
  it('adds up requests and rejections by key and UTC day', () => {
    const count = new UsageCount();
    for (const status of [200, 399, 400, 429, 499, 500, 304]) count.add('a', status, NOON);
    count.add('b', 403, NOON);
    count.add('a', 200, NOON + DAY_MS / 2 - 1);
    count.add('a', 200, NOON + DAY_MS / 2);
    expect(count.take()).toEqual([
      { keyId: 'a', day: '2026-11-21', requests: 8, rejections: 3 },
      { keyId: 'b', day: '2026-11-21', requests: 1, rejections: 1 },
      { keyId: 'a', day: '2026-11-22', requests: 1, rejections: 0 },
    ]);
    expect(count.take()).toEqual([]);
  });

  it('keeps counts that could not be written', () => {
    const count = new UsageCount();
    count.add('a', 200, NOON);
    const taken = count.take();
    count.add('a', 404, NOON);
    count.add('b', 200, NOON);
    count.giveBack(taken);
    count.add('a', 200, NOON);
    expect(count.take()).toEqual([
      { keyId: 'a', day: '2026-11-21', requests: 3, rejections: 1 },
      { keyId: 'b', day: '2026-11-21', requests: 1, rejections: 0 },
    ]);
  });
});
