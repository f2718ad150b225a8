import { type CleanupStep, cleanupSteps, type CleanupTable } from './cleanup-sql';

const TABLES: readonly CleanupTable[] = [
  { name: 'first', key: ['id'], start: [0] },
  { name: 'second', key: ['id'], start: [-1] },
];

const LOCKED: CleanupStep = { isLocked: false, next: null };
const END: CleanupStep = { isLocked: true, next: null };

describe('cleanupSteps', () => {
  it('keeps its position while another replica holds the lock, and continues from there', async () => {
    const results = [{ isLocked: true, next: [7] }, LOCKED, LOCKED, END, END];
    const calls: unknown[] = [];
    const steps = cleanupSteps(
      TABLES,
      ({ name }, after) => {
        calls.push([name, ...after]);
        return Promise.resolve(results.shift() ?? END);
      },
      () => Promise.resolve('completed'),
    );
    const yielded: unknown[] = [];
    for await (const result of steps) yielded.push(result);
    expect(yielded).toEqual(['more', 'locked', 'locked', 'more', 'more']);
    expect(calls).toEqual([
      ['first', 0],
      ['first', 7],
      ['first', 7],
      ['first', 7],
      ['second', -1],
    ]);
  });

  it('retries only the last step if a write holds the lock', async () => {
    const ends = ['locked', 'locked', 'completed'] as const;
    const waiting = [...ends];
    let deletions = 0;
    const steps = cleanupSteps(
      TABLES,
      () => {
        deletions += 1;
        return Promise.resolve(END);
      },
      () => Promise.resolve(waiting.shift() ?? 'completed'),
    );
    const yielded: unknown[] = [];
    for await (const result of steps) yielded.push(result);
    expect(yielded).toEqual(['more', 'more', 'locked', 'locked']);
    expect([deletions, waiting]).toEqual([2, []]);
  });
});
