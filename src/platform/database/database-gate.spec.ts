import { AccountActivity } from '../fairness/account-activity';
import { DatabaseGate } from './database-gate';

function startGate(poolSize: number, ...activeAccounts: readonly string[]): DatabaseGate {
  const activity = new AccountActivity();
  for (const account of activeAccounts) activity.recordCall(account);
  const settings = { databaseMaxWaiting: 0, databaseAcquireTimeoutMs: 1_000 };
  return new DatabaseGate({ ...settings, databasePoolSize: poolSize }, activity);
}

/** Enters for an account until it would have to wait, and returns how often it entered. */
function enterAll(gate: DatabaseGate, account: string): number {
  let count = 0;
  while (gate.tryEnter(account)) count += 1;
  return count;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('DatabaseGate', () => {
  it.each([
    [2, 1],
    [3, 2],
    [5, 2],
    [10, 2],
    [20, 4],
  ])('of a pool of %i gives an account %i places while others are active', (poolSize, places) => {
    expect(enterAll(startGate(poolSize, 'a', 'b'), 'a')).toBe(places);
  });

  it.each([
    [5, 3],
    [10, 8],
  ])('of a pool of %i gives an account that is alone %i places', (poolSize, places) => {
    expect(enterAll(startGate(poolSize), 'a')).toBe(places);
  });

  it('counts a place that was held for long, beside another one, towards the share for as long again', () => {
    const gate = startGate(10, 'a', 'b');
    const releases = [gate.tryEnter('a'), gate.tryEnter('a')];
    jest.advanceTimersByTime(100);
    for (const release of releases) release?.();
    expect(gate.tryEnter('a')).toBeUndefined();
    expect(enterAll(gate, 'b')).toBe(2);
    jest.advanceTimersByTime(50);
    expect(enterAll(gate, 'a')).toBe(2);
  });

  it('never makes an account wait that sends one long request at a time', () => {
    for (const poolSize of [1, 2, 5]) {
      const gate = startGate(poolSize, 'a', 'b');
      for (const heldMs of [800, 100, 5_000, 60]) {
        const release = gate.tryEnter('a');
        expect(release).toBeDefined();
        jest.advanceTimersByTime(heldMs);
        release?.();
      }
    }
  });
});
