import { DeliveryRate } from './delivery-rate';

const PER_SECOND = 10;

let rate: DeliveryRate;
/** Deliveries that have begun, by account. */
let begun: Record<string, number>;

beforeEach(() => {
  jest.useFakeTimers();
  rate = new DeliveryRate(PER_SECOND);
  begun = {};
});

afterEach(() => {
  jest.useRealTimers();
});

/** Requests deliveries, and lets this time pass. */
async function request(accountId: string, count: number, forMs: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    void rate.wait(accountId).then(() => {
      begun[accountId] = (begun[accountId] ?? 0) + 1;
    });
  }
  await jest.advanceTimersByTimeAsync(forMs);
}

describe('DeliveryRate', () => {
  it('lets an account send the deliveries of a second at once, and then one for each interval', async () => {
    await request('a', 100, 0);
    expect(begun).toEqual({ a: PER_SECOND });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual({ a: 2 * PER_SECOND });
    await jest.advanceTimersByTimeAsync(8_000);
    expect(begun).toEqual({ a: 100 });
  });

  it('counts each account on its own', async () => {
    await request('a', 100, 0);
    await request('b', 5, 0);
    expect(begun).toEqual({ a: PER_SECOND, b: 5 });
  });

  it('allows no more after a long pause than after a second', async () => {
    await request('a', 1, 3_600_000);
    await request('a', 100, 0);
    expect(begun).toEqual({ a: 1 + PER_SECOND });
  });
});
