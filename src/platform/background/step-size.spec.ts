import { StepSize } from './step-size';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Returns the sizes of steps that take these durations. */
async function sizesOf(...durationsMs: number[]): Promise<number[]> {
  const size = new StepSize();
  const sizes: number[] = [];
  for (const durationMs of durationsMs) {
    await size.measure(async (rows) => {
      sizes.push(rows);
      await jest.advanceTimersByTimeAsync(durationMs);
    });
  }
  return [...sizes, size.rows];
}

describe('StepSize', () => {
  it('grows to 2,000 rows while steps are short', async () => {
    expect(await sizesOf(1, 49, 1, 1)).toEqual([125, 500, 2_000, 2_000, 2_000]);
  });

  it('shrinks to 30 rows while steps are long', async () => {
    expect(await sizesOf(201, 5_000, 300)).toEqual([125, 30, 30, 30]);
  });

  it('stays the same while steps take 50 to 200 ms', async () => {
    expect(await sizesOf(50, 200, 100)).toEqual([125, 125, 125, 125]);
  });
});
