/** Width of the numbers of rows up to 99,999, and of each further digit or separator, in pixels. */
const BASE = 84;
const MORE = 9;
const BASE_CHARACTERS = '99,999'.length;

/** Returns the width of the column with the numbers of rows, in pixels. No number is cut off. */
export function numberWidth(rowCount: number): number {
  return BASE + MORE * Math.max(0, rowCount.toLocaleString().length - BASE_CHARACTERS);
}
