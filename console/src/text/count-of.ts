/** Returns a count with its noun, such as `1 row` or `2,000 rows`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}
