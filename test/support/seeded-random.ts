/** Seed of random tests. Set `FUZZ_SEED` to repeat the decisions of a failed run. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** Returns an integer from 0 to `bound - 1`. */
export type RandomBelow = (bound: number) => number;

/** Returns a generator of random integers (mulberry32). */
export function seededRandom(seed: number): RandomBelow {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** Runs a random test. @throws Error with the seed and the cause if it fails. */
export async function withSeed(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    throw new Error(`Failed with FUZZ_SEED=${String(SEED)}`, { cause });
  }
}
