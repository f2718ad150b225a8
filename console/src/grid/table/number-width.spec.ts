import { numberWidth } from './number-width';

it('The column of row numbers is wider for numbers with more than five digits', () => {
  const widths = [0, 99_999, 100_000, 1_000_000].map(numberWidth);
  expect(widths).toEqual([84, 84, 93, 111]);
});
