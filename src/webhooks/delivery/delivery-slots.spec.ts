import { DeliveryRate } from './delivery-rate';
import { DeliverySlots, type Slot } from './delivery-slots';
import type { Lane } from './lane.repository';

const MAX = 8;
const SLOW_MS = 1_000;

const laneOf = (accountId: string, isFailing: boolean): Lane =>
  ({ accountId, webhookId: `webhook of ${accountId}`, isFailing }) as Lane;

let slots: DeliverySlots;

beforeEach(() => {
  jest.useFakeTimers();
  slots = new DeliverySlots(MAX, new DeliveryRate(MAX));
});

afterEach(() => {
  jest.useRealTimers();
});

const take = (accountId: string, count: number, isFailing = false): Slot[] =>
  Array.from({ length: count }, () => slots.take(laneOf(accountId, isFailing)));

/** Starts an attempt that ends when the returned function is called. */
function startAttempt(slot: Slot): () => Promise<void> {
  let end = (): void => undefined;
  const attempt = new Promise<void>((resolve) => (end = resolve));
  const run = slot.run(() => attempt);
  return async () => {
    end();
    await run;
  };
}

describe('DeliverySlots', () => {
  it('has separate pools for webhooks that fail and for those that work', () => {
    take('a', 4);
    take('b', 1, true);
    expect(slots.bounds()).toMatchObject({
      healthy: 4,
      failing: 1,
      fullAccounts: ['a'],
      fullFailingAccounts: ['b'],
    });
  });

  it('moves an attempt that takes long to a pool of its own, so that it takes no slot of other accounts', async () => {
    const ends = take('a', 4).map(startAttempt);
    jest.advanceTimersByTime(SLOW_MS);
    expect(slots.bounds()).toMatchObject({
      healthy: MAX,
      failing: 2,
      fullAccounts: [],
      fullFailingAccounts: [],
      active: [{ webhookId: 'webhook of a', isFailing: null, count: 4 }],
    });
    await Promise.all(ends.map((end) => end()));
    expect(slots.bounds()).toMatchObject({ healthy: 4, fullAccounts: ['a'] });
  });

  it('gives one account at most half of the slots for attempts that take long', () => {
    for (let n = 0; n < 5; n += 1) {
      take('a', 4).forEach(startAttempt);
      jest.advanceTimersByTime(SLOW_MS);
    }
    // 16 of 32 slots are slow. The other 4 lanes hold the slots of the account.
    expect(slots.bounds()).toMatchObject({ healthy: 4, failing: 2, fullAccounts: ['a'] });
    take('b', 4).forEach(startAttempt);
    jest.advanceTimersByTime(SLOW_MS);
    expect(slots.bounds()).toMatchObject({ healthy: 4, fullAccounts: ['a'] });
  });

  it('moves a webhook between the pools with each result, and releases its slot', () => {
    const [slot] = take('a', 1);
    slot?.mark(true);
    expect(slots.bounds()).toMatchObject({ healthy: MAX, failing: 1 });
    slot?.mark(false);
    expect(slots.bounds()).toMatchObject({ healthy: MAX - 1, failing: 2 });
    slot?.release();
    slot?.mark(true);
    expect(slots.bounds()).toMatchObject({ healthy: MAX, failing: 2, active: [] });
  });
});
