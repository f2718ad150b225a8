/** Returns the top of the scale: the next of 2, 4, 10, 20, 40, 100 and so on. */
export function topOf(max: number): number {
  for (let power = 1; ; power *= 10) {
    for (const step of [2, 4, 10]) if (max <= step * power) return step * power;
  }
}
