import { SEED, seededRandom } from './seeded-random';

/**
 * Returns how many kills or runs with random data a test has: a few, the number in `SAMPLES`, or with
 * `SAMPLES=all` all.
 */
export function sampleSize({ few, all }: { readonly few: number; readonly all: number }): number {
  const { SAMPLES: given } = process.env;
  if (given === undefined) return few;
  return given === 'all' ? all : Number(given);
}

/** Draws this number of items, in random order. The seed decides which. */
export function draw<T>(items: readonly T[], count: number): readonly T[] {
  const below = seededRandom(SEED);
  const left = [...items];
  return Array.from({ length: Math.min(count, items.length) }, () =>
    left.splice(below(left.length), 1),
  ).flat();
}
