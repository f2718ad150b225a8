import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../common/caller/app-request';
import { type AppError, unavailable } from '../common/error/app-error';
import { nextTurn, Slices } from '../platform/fairness/event-loop-turns';
import { LiveResponse, startStream } from '../platform/http/live-response';
import { encodeInSlices } from '../platform/http/utf8-slices';
import type { CountedResponse } from '../platform/load/load';
import type { ChangeRequest } from './change-request';
import type { WatchReader, WatchState } from './change-watch';
import { type Feed, feedMeta, FeedPages, hasNews, type Place, type Read, startOf } from './feed';
import { type LiveReader, LiveReaders } from './live-readers';

/** Interval of comments in a stream without changes, so that proxies keep the connection open. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(':\n\n');
/** Interval at which streams without changes are looked for. */
const HEARTBEAT_CHECK_MS = 1_000;

/** Number of places that are remembered, so that streams that come to one share it. */
const MAX_PLACES = 1_000;

const EVENT_STREAM = 'text/event-stream';

/** Where streams read on. Streams at the same place share one object. */
interface StreamPlace extends Place<unknown> {
  readonly feed: Feed<unknown>;
  /** Maximum number of items of a page. */
  readonly limit: number;
  /** Total that the last page told, if it did. */
  readonly total: number | undefined;
  /** What the stream has seen; `undefined` if it has not read everything. */
  readonly state: WatchState | undefined;
}

/** A page as it is sent to streams. All streams that share the page share the bytes. */
interface PageEvent {
  readonly page: Read<unknown>;
  readonly text: Buffer;
  readonly after: StreamPlace;
}

/**
 * Sends changes as server-sent events. A stream that waits is only an object in a few lists: it has
 * no timer, no promise and no page. When a resource changes, its streams at the same place are sent
 * the same bytes, in slices of time, so that other requests are not delayed.
 */
@Injectable()
export class LiveEvents {
  /** Streams that wait, the one that has waited longest for something to send first. */
  private readonly waiting = new Set<EventStream>();
  /** Streams that read on in the next turn of the event loop, by their place. */
  private ready = new Map<StreamPlace, EventStream[]>();
  private readonly places = new LRUCache<string, StreamPlace>({ max: MAX_PLACES });
  private readonly events = new WeakMap<Read<unknown>, Promise<PageEvent>>();
  private heartbeats: NodeJS.Timeout | undefined;

  constructor(
    private readonly readers: LiveReaders,
    private readonly pages: FeedPages,
  ) {}

  /**
   * Opens a stream that goes on until the client leaves.
   * @throws AppError `invalid_request`, `rate_limited` or `unavailable`. Sending the response throws
   *   what the feed throws for its first page.
   */
  open<P>(caller: Caller, feed: Feed<P>, { cursor, limit }: ChangeRequest): LiveResponse {
    const start = startOf(feed, cursor);
    const place = { ...start, feed, limit, total: undefined, state: undefined };
    return new EventStream(this, place, (stream) =>
      this.readers.start(caller, feed.permission, stream),
    );
  }

  /** Reads the page after a place. @throws what the feed throws */
  async read(place: StreamPlace): Promise<PageEvent> {
    const { feed, limit } = place;
    const page = await this.pages.read(feed, place, limit, ',');
    const known = this.events.get(page);
    if (known) return known;
    const after = this.placeAfter(page, feed, limit);
    const event = textOf(page, feed.accountId).then((text) => ({ page, text, after }));
    this.events.set(page, event);
    return event;
  }

  private placeAfter(page: Read<unknown>, feed: Feed<unknown>, limit: number): StreamPlace {
    const { position, cursor, isUpToDate, total } = page;
    const key = [feed.id, feed.form, limit, cursor, isUpToDate, total].join(' ');
    const known = this.places.get(key);
    if (known) return known;
    const state = isUpToDate ? feed.stateAt(position) : undefined;
    const place = { feed, limit, position, cursor, total, state };
    this.places.set(key, place);
    return place;
  }

  /** Sends a stream the next page, together with all others that read on at the same place. */
  advance(stream: EventStream): void {
    this.waiting.delete(stream);
    if (this.ready.size === 0) {
      setImmediate(() => {
        const { ready } = this;
        this.ready = new Map();
        for (const [place, streams] of ready) void this.sendPage(place, streams);
      });
    }
    const others = this.ready.get(stream.place);
    if (others) others.push(stream);
    else this.ready.set(stream.place, [stream]);
  }

  /** Lets a stream wait for changes. */
  park(stream: EventStream): void {
    this.waiting.add(stream);
    this.heartbeats ??= setInterval(() => {
      this.sendHeartbeats();
    }, HEARTBEAT_CHECK_MS).unref();
  }

  remove(stream: EventStream): void {
    this.waiting.delete(stream);
  }

  private async sendPage(from: StreamPlace, streams: readonly EventStream[]): Promise<void> {
    try {
      const { page, text, after } = await this.read(from);
      const bytes = hasNews(page, from.total) ? text : undefined;
      await send(from.feed.accountId, streams, bytes, after);
    } catch {
      for (const stream of streams) stream.end();
    }
  }

  private sendHeartbeats(): void {
    if (this.waiting.size === 0) {
      clearInterval(this.heartbeats);
      this.heartbeats = undefined;
      return;
    }
    const dueMs = performance.now() - HEARTBEAT_MS;
    const byAccount = new Map<string, EventStream[]>();
    for (const stream of this.waiting) {
      if (stream.waitsSinceMs > dueMs) break;
      const { accountId } = stream.place.feed;
      const others = byAccount.get(accountId);
      if (others) others.push(stream);
      else byAccount.set(accountId, [stream]);
    }
    for (const [accountId, streams] of byAccount) {
      for (const stream of streams) {
        this.waiting.delete(stream);
        stream.isWaiting = false;
      }
      void send(accountId, streams, HEARTBEAT);
    }
  }
}

/**
 * Sends the same bytes to streams, in slices, and ends those whose caller has lost the permission.
 * @param bytes If absent, only the place changes.
 * @param after Place of the streams from now on, if it changes.
 */
async function send(
  accountId: string,
  streams: readonly EventStream[],
  bytes: Buffer | undefined,
  after?: StreamPlace,
): Promise<void> {
  // Streams of the same caller share a check. All checks run at the same time.
  await Promise.allSettled(new Set(streams.map(({ reader }) => reader.check())));
  await nextTurn(accountId);
  const slices = new Slices(accountId);
  for (const stream of streams) {
    if (slices.isDue()) await slices.next();
    try {
      await stream.reader.check();
      stream.take(bytes, after);
    } catch {
      stream.end();
    }
  }
}

/** Stream of events of one client. */
class EventStream extends LiveResponse implements WatchReader {
  readonly reader: LiveReader;
  /** Whether it waits for changes. If not, it reads a page, or its client does. */
  isWaiting = false;
  waitsSinceMs = 0;
  private hasChanged = false;
  private isOver = false;
  /** Why it is over, if its caller has lost the permission. */
  private loss: AppError | undefined;
  private response: (Response & CountedResponse) | undefined;

  /** @param start Starts its reader, which counts as one until the stream is over. */
  constructor(
    private readonly events: LiveEvents,
    public place: StreamPlace,
    start: (stream: EventStream) => LiveReader,
  ) {
    super();
    this.reader = start(this);
    const { watch, accountId, id } = place.feed;
    watch.add(accountId, id, this);
  }

  /** What it has seen, while it waits. */
  get state(): WatchState | undefined {
    return this.isWaiting ? this.place.state : undefined;
  }

  /** Resolves when the stream has begun: it then goes on by itself. */
  override async send(response: Response & CountedResponse): Promise<void> {
    this.response = response;
    // Emitted once. `once` would take a function and an object more.
    response.on('close', () => {
      this.release();
    });
    // The client may have left before this, and then there is no further event.
    if (response.destroyed) this.release();
    try {
      if (response.req.method === 'HEAD') {
        startStream(response, EVENT_STREAM);
        this.release();
        response.end();
        return;
      }
      const { text, after } = await this.events.read(this.place);
      if (!this.isOver) this.take(text, after);
      else if (!response.destroyed)
        throw this.loss ?? unavailable('The service is shutting down. Retry later.');
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Sends bytes, if any, and waits until the client has taken them. Then goes on. */
  take(bytes: Buffer | undefined, after = this.place): void {
    const { response } = this;
    if (this.isOver || !response) return;
    this.place = after;
    if (bytes) {
      response.reserve(bytes.length);
      if (!response.headersSent) startStream(response, EVENT_STREAM);
      if (!response.write(bytes)) {
        response.once('drain', () => {
          this.goOn();
        });
        return;
      }
    }
    this.goOn();
  }

  /** Called when the resource has changed. */
  wake(): void {
    this.hasChanged = true;
    if (this.isWaiting) this.goOn();
  }

  private goOn(): void {
    if (this.isOver) return;
    this.isWaiting = this.place.state !== undefined && !this.hasChanged;
    this.hasChanged = false;
    if (this.isWaiting) {
      this.waitsSinceMs = performance.now();
      this.events.park(this);
    } else {
      this.events.advance(this);
    }
  }

  /** Ends the stream. The client can resume it elsewhere. */
  end(reason?: AppError): void {
    if (this.isOver) return;
    this.loss = reason;
    this.release();
    if (this.response?.headersSent === true) this.response.end();
  }

  private release(): void {
    this.isOver = true;
    this.isWaiting = false;
    this.events.remove(this);
    const { watch, id } = this.place.feed;
    watch.remove(id, this);
    this.reader.release();
  }
}

async function textOf(page: Read<unknown>, accountId: string): Promise<Buffer> {
  const { items, cursor } = page;
  const meta = JSON.stringify(feedMeta(page));
  const text = `id: ${cursor}\ndata: {"data":[${items}],"meta":${meta}}\n\n`;
  return Buffer.concat(await encodeInSlices(text, accountId));
}
