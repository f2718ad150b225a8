import { SEED, seededRandom } from './seeded-random';

/** Returns the number of kills of a test: a few, the number in `KILLS`, or with `KILLS=all` all. */
export function countKills({ few, all }: { readonly few: number; readonly all: number }): number {
  const { KILLS: given } = process.env;
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
