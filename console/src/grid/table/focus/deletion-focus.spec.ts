import { indexAfter } from './deletion-focus';

describe('the row that gets the focus after a deletion', () => {
  it.each([
    ['the one in the place of the first deleted one', [4, 2], 10, 2],
    ['the last one if the last ones were deleted', [8, 9], 10, 7],
    ['the last one if none of the deleted ones is loaded', [null, null], 10, 7],
    ['none if no row is left', [0, 1], 2, undefined],
  ])('is %s', (_name, deleted, count, expected) => {
    expect(indexAfter(deleted, count)).toBe(expected);
  });
});
