import type { CallerChange } from '../../auth/api-key/caller-cache';
import type { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import type { RowVersionRepository } from '../storage/row-version.repository';
import { StreamWatch, type WatchedStream } from './stream-watch';

class Fixture {
  /** What a check of the permission fails with. */
  failure: Error | undefined;
  isDeleted = false;
  checks = 0;
  /** Tells the watch of a change of a caller. */
  change: (change: CallerChange) => void = () => undefined;
  readonly reasons: AppError[] = [];
  readonly callers = {
    hearsChanges: true,
    onChange: (handle: (change: CallerChange) => void) => {
      this.change = handle;
    },
    requireStill: () => {
      this.checks += 1;
      return this.failure ? Promise.reject(this.failure) : Promise.resolve();
    },
  };
  private readonly watch = new StreamWatch(
    this.callers as unknown as CallerService,
    {
      find: () => Promise.resolve(this.isDeleted ? null : {}),
    } as unknown as RowVersionRepository,
  );

  /** Starts a stream that transfers data all the time. */
  transfer(keyId = 'key'): WatchedStream {
    const claim = { caller: callerOf(keyId), permission: 'rows:read', datagridId: 'd' } as const;
    return this.watch.start(claim, (reason) => this.reasons.push(reason));
  }

  /** Starts a stream that waits. */
  wait(keyId = 'key'): WatchedStream {
    const claim = { caller: callerOf(keyId), permission: 'rows:read' } as const;
    return this.watch.startWaiting(claim, (reason) => this.reasons.push(reason));
  }
}

const callerOf = (keyId: string): Caller =>
  ({ accountId: 'account', userId: `user of ${keyId}`, keyId }) as Caller;
const revoked = (): AppError => new AppError('unauthenticated', 'The key is revoked.');

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('StreamWatch', () => {
  it('ends a stream once, within 3 seconds after its caller has lost the permission', async () => {
    const fixture = new Fixture();
    fixture.transfer();
    await jest.advanceTimersByTimeAsync(6_500);
    fixture.failure = revoked();
    await jest.advanceTimersByTimeAsync(2_499);
    expect(fixture.reasons).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(fixture.reasons).toEqual([fixture.failure]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([fixture.checks, fixture.reasons.length]).toEqual([3, 1]);
  });

  it('ends a stream with not_found if its datagrid is deleted', async () => {
    const fixture = new Fixture();
    fixture.transfer();
    fixture.isDeleted = true;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(fixture.reasons).toMatchObject([{ code: 'not_found' }]);
  });

  it('lets a stream continue for 30 seconds while the permission cannot be checked', async () => {
    const fixture = new Fixture();
    fixture.transfer();
    await jest.advanceTimersByTimeAsync(6_000);
    fixture.failure = new Error('no database');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(fixture.reasons).toEqual([]);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(fixture.reasons).toMatchObject([{ code: 'unavailable', cause: fixture.failure }]);
  });

  it('gives each stream its own 30 seconds', async () => {
    const fixture = new Fixture();
    fixture.transfer();
    await jest.advanceTimersByTimeAsync(3_000);
    fixture.failure = new Error('no database');
    await jest.advanceTimersByTimeAsync(15_000);
    fixture.transfer();
    await jest.advanceTimersByTimeAsync(18_000);
    expect(fixture.reasons.length).toBe(1);
    await jest.advanceTimersByTimeAsync(15_000);
    expect(fixture.reasons.length).toBe(2);
  });

  it('checks again at once after a failure that is not about the permission', async () => {
    const fixture = new Fixture();
    const [one, other] = [fixture.wait(), fixture.wait()];
    fixture.failure = new Error('no database');
    await expect(one.check()).rejects.toBe(fixture.failure);
    fixture.failure = undefined;
    await expect(other.check()).resolves.toBeUndefined();
  });

  it('checks once for all streams of a caller, and does not end those that have stopped', async () => {
    const fixture = new Fixture();
    const streams = [fixture.transfer(), fixture.transfer(), fixture.transfer()];
    await jest.advanceTimersByTimeAsync(3_000);
    expect(fixture.checks).toBe(1);
    streams[0]?.stop();
    streams[0]?.stop();
    fixture.failure = revoked();
    await jest.advanceTimersByTimeAsync(3_000);
    expect([fixture.checks, fixture.reasons.length]).toEqual([2, 2]);
  });

  it('checks nothing after the last stream of a caller has stopped', async () => {
    const fixture = new Fixture();
    fixture.transfer().stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(fixture.checks).toBe(0);
    fixture.transfer();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(fixture.checks).toBe(1);
  });

  it('checks a stream that waits only when it is asked, and once in 3 seconds for all of a caller', async () => {
    const fixture = new Fixture();
    const [first, second, other] = [fixture.wait(), fixture.wait(), fixture.wait('other')];
    await jest.advanceTimersByTimeAsync(60_000);
    expect(fixture.checks).toBe(0);
    await Promise.all([first, second].map((stream) => stream.check()));
    expect(fixture.checks).toBe(1);
    await other.check();
    expect(fixture.checks).toBe(2);
    fixture.failure = revoked();
    await jest.advanceTimersByTimeAsync(2_999);
    await first.check();
    await jest.advanceTimersByTimeAsync(1);
    await expect(second.check()).rejects.toBe(fixture.failure);
    expect(fixture.checks).toBe(3);
  });

  it.each([undefined, 'key', 'user:user of key', 'account:account'])(
    'checks the streams of a caller at once after the change %s, and ends them if the permission is lost',
    async (change) => {
      const fixture = new Fixture();
      const streams = [fixture.transfer(), fixture.wait()];
      await streams[1]?.check();
      fixture.change(change);
      await jest.advanceTimersByTimeAsync(0);
      expect([fixture.checks, fixture.reasons]).toEqual([3, []]);
      fixture.failure = revoked();
      fixture.change(change);
      await jest.advanceTimersByTimeAsync(0);
      expect(fixture.reasons).toEqual([fixture.failure, fixture.failure]);
    },
  );

  it.each(['other', 'user:user of other', 'account:other', 'session:key'])(
    'does not check the streams of a caller after the change %s, which is not theirs',
    async (change) => {
      const fixture = new Fixture();
      fixture.wait();
      fixture.change(change);
      await jest.advanceTimersByTimeAsync(0);
      expect(fixture.checks).toBe(0);
    },
  );

  it('lets a stream that waits continue if it cannot be checked after a change', async () => {
    const fixture = new Fixture();
    const stream = fixture.wait();
    fixture.failure = new Error('no database');
    await jest.advanceTimersByTimeAsync(60_000);
    fixture.change('key');
    await jest.advanceTimersByTimeAsync(0);
    expect([fixture.checks, fixture.reasons]).toEqual([1, []]);
    fixture.failure = undefined;
    await expect(stream.check()).resolves.toBeUndefined();
  });

  it('checks a stream when it starts if its caller has changed a moment ago', async () => {
    const fixture = new Fixture();
    fixture.wait('other');
    fixture.change('key');
    fixture.failure = revoked();
    fixture.wait();
    await jest.advanceTimersByTimeAsync(0);
    expect(fixture.reasons).toEqual([fixture.failure]);
  });

  it('relies on a check for half a second only while notifications may be missing', async () => {
    const fixture = new Fixture();
    fixture.callers.hearsChanges = false;
    const stream = fixture.wait();
    await stream.check();
    fixture.failure = revoked();
    await jest.advanceTimersByTimeAsync(499);
    await stream.check();
    await jest.advanceTimersByTimeAsync(1);
    await expect(stream.check()).rejects.toBe(fixture.failure);
  });
});
