import { topOf } from './usage-scale';

describe('the scale of the usage plot', () => {
  it.each([
    [0, 2],
    [2, 2],
    [3, 4],
    [5, 10],
    [11, 20],
    [9_999, 10_000],
    [10_001, 20_000],
  ])('ends for a maximum of %d at %d, whose half is an integer', (max, top) => {
    expect(topOf(max)).toBe(top);
  });
});
