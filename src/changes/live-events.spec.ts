import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import type { CallerService } from '../auth/caller.service';
import type { Caller } from '../common/caller/app-request';
import type { AppConfig } from '../platform/config/app-config';
import type { CountedResponse } from '../platform/load/load';
import type { Metrics } from '../platform/metrics/metrics';
import { StreamWatch } from '../rows/stream/stream-watch';
import { Watch } from './change-watch';
import { type Feed, FeedPages, type ReadPage } from './feed';
import { LiveEvents } from './live-events';
import { LiveReaders } from './live-readers';

const REQUEST = { cursor: 'latest', limit: 100, waitSeconds: 0, hasOrigins: false };

afterEach(() => jest.useRealTimers());

/** A feed of numbers. A position is the last number that a reader has. */
class NumberFeed implements Feed<number> {
  readonly accountId = 'account';
  readonly id = 'numbers';
  readonly form = '';
  readonly permission = 'rows:read';
  readonly watch = new Watch();
  last = 0;
  reads = 0;

  write(): void {
    this.last += 1;
    this.watch.wake(this.id);
  }

  read(start: number | string): Promise<ReadPage<number>> {
    this.reads += 1;
    const from = typeof start === 'number' ? start : this.last;
    const items = Array.from({ length: this.last - from }, (_, n) => from + n + 1);
    const page = { items: items.join(), count: items.length, position: this.last };
    return Promise.resolve({ ...page, isUpToDate: true });
  }

  stateAt(position: number): number {
    return position;
  }

  encodeCursor(position: number): string {
    return String(position);
  }

  decodeCursor(cursor: string): number {
    return Number(cursor);
  }
}

/** Response to a client that takes events only if told to. */
class FakeResponse extends EventEmitter {
  readonly req = { method: 'GET' };
  readonly sent: Buffer[] = [];
  headersSent = false;
  destroyed = false;
  isEnded = false;
  isSlow = false;
  writeMs = 0;

  setHeader(): void {
    expect(this.headersSent).toBe(false);
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  reserve(): void {
    expect(this.destroyed).toBe(false);
  }

  write(bytes: Buffer): boolean {
    this.sent.push(bytes);
    const endMs = performance.now() + this.writeMs;
    while (performance.now() < endMs);
    return !this.isSlow;
  }

  end(): void {
    this.isEnded = true;
  }

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }

  /** Numbers of each event, and `:` for a comment. */
  get events(): string[] {
    return this.sent.map((bytes) => /"data":\[(.*?)\]/.exec(String(bytes))?.[1] ?? ':');
  }
}

class Fixture {
  readonly feed = new NumberFeed();
  /** Keys whose callers have lost the permission. */
  readonly revoked = new Set<string>();
  readonly readers: LiveReaders;
  private readonly events: LiveEvents;

  constructor() {
    const config = { maxLiveReaders: 1_000, maxConcurrentExports: 1 } as AppConfig;
    const callers = {
      hearsChanges: true,
      onChange: () => undefined,
      requireStill: ({ keyId }: Caller) =>
        this.revoked.has(keyId ?? '') ? Promise.reject(new Error('revoked')) : Promise.resolve(),
    };
    const metrics = { gauge: () => undefined };
    const watch = new StreamWatch(callers as unknown as CallerService, null as never);
    this.readers = new LiveReaders(config, watch, metrics as unknown as Metrics);
    this.events = new LiveEvents(this.readers, new FeedPages());
  }

  async open(keyId = 'key', response = new FakeResponse()): Promise<FakeResponse> {
    const caller = { accountId: this.feed.accountId, keyId } as Caller;
    const stream = this.events.open(caller, this.feed, REQUEST);
    await stream.send(response as unknown as Response & CountedResponse);
    return response;
  }

  openMany(count: number): Promise<FakeResponse[]> {
    return Promise.all(Array.from({ length: count }, () => this.open()));
  }
}

/** Replaces the clock and the timers, but not the order of tasks. */
const useFakeTime = (): void => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
};

/** Lets time pass, and then all that has become due run. */
async function passed(ms: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('LiveEvents', () => {
  it('reads a page once for all streams at the same place, and sends them the same bytes', async () => {
    useFakeTime();
    const fixture = new Fixture();
    const streams = await fixture.openMany(50);
    fixture.feed.reads = 0;
    fixture.feed.write();
    await passed(10);
    expect(fixture.feed.reads).toBe(1);
    expect(streams.map(({ events }) => events)).toEqual(streams.map(() => ['', '1']));
    expect(new Set(streams.map(({ sent }) => sent[1])).size).toBe(1);
  });

  it('sends a comment after 15 seconds without an event, and not before', async () => {
    useFakeTime();
    const fixture = new Fixture();
    const stream = await fixture.open();
    await passed(10_000);
    fixture.feed.write();
    await passed(14_000);
    expect(stream.events).toEqual(['', '1']);
    await passed(2_000);
    expect(stream.events).toEqual(['', '1', ':']);
    await passed(16_000);
    expect(stream.events).toEqual(['', '1', ':', ':']);
  });

  it('sends nothing to a client that has not taken its last event, and then all it has missed', async () => {
    useFakeTime();
    const fixture = new Fixture();
    const [slow, fast] = [await fixture.open(), await fixture.open()];
    slow.isSlow = true;
    fixture.feed.write();
    await passed(1_000);
    fixture.feed.write();
    await passed(1_000);
    fixture.feed.write();
    await passed(60_000);
    expect(slow.events).toEqual(['', '1']);
    slow.isSlow = false;
    slow.emit('drain');
    await passed(10);
    expect(slow.events).toEqual(['', '1', '2,3']);
    expect(fast.events.filter((event) => event !== ':')).toEqual(['', '1', '2', '3']);
  });

  it('ends the streams of a caller who has lost the permission, before the next event', async () => {
    useFakeTime();
    const fixture = new Fixture();
    const [revoked, other] = [await fixture.open('revoked'), await fixture.open('other')];
    fixture.revoked.add('revoked');
    fixture.feed.write();
    await passed(10);
    expect([revoked.events, revoked.isEnded]).toEqual([[''], true]);
    expect([other.events, other.isEnded]).toEqual([['', '1'], false]);
    expect(fixture.readers.count).toBe(1);
  });

  it('ends the streams of a caller who has lost the permission, even if nothing changes', async () => {
    useFakeTime();
    const fixture = new Fixture();
    const stream = await fixture.open('revoked');
    fixture.revoked.add('revoked');
    await passed(16_000);
    expect([stream.events, stream.isEnded]).toEqual([[''], true]);
    expect(fixture.feed.watch.isEmpty).toBe(true);
  });

  it('releases everything when a client leaves, also if it left before its stream began', async () => {
    const fixture = new Fixture();
    const early = new FakeResponse();
    early.destroyed = true;
    await fixture.open('key', early);
    expect([fixture.readers.count, early.sent]).toEqual([0, []]);
    const stream = await fixture.open();
    expect(fixture.readers.count).toBe(1);
    stream.close();
    expect([fixture.readers.count, fixture.feed.watch.isEmpty]).toEqual([0, true]);
  });

  it('lets the event loop turn while it sends an event to many streams', async () => {
    const fixture = new Fixture();
    const streams = await fixture.openMany(40);
    for (const stream of streams) stream.writeMs = 1;
    fixture.feed.write();
    const begun = (): number => streams.filter(({ sent }) => sent.length > 1).length;
    const seen = new Set<number>();
    while (begun() < streams.length) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.add(begun());
    }
    expect(seen.size).toBeGreaterThan(5);
  });
});
