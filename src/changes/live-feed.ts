import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AppRequest,
  type Caller,
  startWaiting,
  stopWaiting,
} from '../common/caller/app-request';
import { FeedPage } from '../common/envelope/page';
import type { Permission } from '../common/permission/permission';
import { LiveResponse, type LiveSource } from '../platform/http/live-response';
import type { CountedResponse } from '../platform/load/load';
import type { ChangeRequest } from './change-request';
import type { Watch, WatchState } from './change-watch';
import { type LiveReader, LiveReaders } from './live-readers';

/** Interval of comments in a stream without changes, so that proxies keep the connection open. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

/** Items of a page of a stream of lines. */
const LINES_PAGE_ITEMS = 2_000;

const STREAM_HEADERS = {
  'Cache-Control': 'no-store',
  // nginx would otherwise keep events back until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/** Separator between items: a comma for an array, or a line end for NDJSON. */
export type Separator = ',' | '\n';

/** Where a reader begins: with everything as it is, with the next change, or at its position. */
export type FeedStart<P> = 'all' | 'latest' | P;

/** A page of a feed. */
export interface ReadPage<P> {
  /** Items as JSON texts, with the separator between them. */
  readonly items: string;
  readonly count: number;
  readonly position: P;
  /** Whether the reader had read everything when the page was read. */
  readonly isUpToDate: boolean;
  /** Number of resources that the feed lists, if it says so. */
  readonly total?: number;
}

/** A resource whose changes clients follow, and how to read them. */
export interface Feed<P> {
  readonly accountId: string;
  readonly id: string;
  /** Form of the items, if readers can choose it. Only readers of the same form share pages. */
  readonly form: string;
  /** Permission that a reader needs all the time. */
  readonly permission: Permission;
  /** Tells of changes of the resource. */
  readonly watch: Watch;
  /**
   * Reads the page after a position.
   * @param limit Maximum number of items.
   */
  read(start: FeedStart<P>, limit: number, separator: Separator): Promise<ReadPage<P>>;
  /** Returns the state that a reader at the position has seen. */
  stateAt(position: P): WatchState;
  encodeCursor(position: P): string;
  /** @throws AppError `invalid_request` */
  decodeCursor(cursor: string): P;
}

/** Where to read on. The cursor is known, because 10,000 readers can be at the same place. */
interface Place<P> {
  readonly position: FeedStart<P>;
  readonly cursor: string;
}

/** A page and the cursor after it. */
interface Read<P> extends ReadPage<P> {
  readonly cursor: string;
}

/** Pages at the same position, which readers share. */
interface SharedRead {
  /** The page that is being read. It may lack a change that a client has just made. */
  readonly current: Promise<Read<unknown>>;
  /** The page that is read after it, for readers that came meanwhile. */
  next?: Promise<Read<unknown>>;
}

/** Gives clients the pages of a feed. A page may wait for changes, and streams may never end. */
@Injectable()
export class LiveFeed {
  private readonly reads = new Map<string, SharedRead>();

  constructor(private readonly readers: LiveReaders) {}

  /**
   * Returns the page after the cursor. If it is empty, waits for a change as long as requested.
   * @param response No longer counted as a request in progress once it waits. Many readers wake at
   *   the same time, share the pages that they read, and wait for the database gate.
   * @throws AppError `not_found`, `invalid_request`, `cursor_expired`, `rate_limited` or
   *   `unavailable`.
   */
  async page<P>(
    caller: Caller,
    feed: Feed<P>,
    { cursor, limit, waitSeconds }: ChangeRequest,
    response: Response & CountedResponse,
  ): Promise<FeedPage> {
    const start = startOf(feed, cursor);
    const read = (from: Place<P>): Promise<Read<P>> => this.read(feed, from, limit, ',');
    if (waitSeconds === 0) return toFeedPage(await read(start));
    const reader = this.readers.start(caller, feed.permission);
    const leave = (): void => {
      reader.controller.abort();
    };
    response.once('close', leave);
    const subscription = feed.watch.subscribe(feed.accountId, feed.id);
    const request = response.req as AppRequest;
    try {
      const { signal } = reader.controller;
      const deadlineMs = performance.now() + waitSeconds * 1_000;
      let page = await read(start);
      const { total } = page;
      while (!hasNews(page, total) && page.isUpToDate && !signal.aborted) {
        const leftMs = deadlineMs - performance.now();
        if (leftMs <= 0) break;
        response.stopCounting();
        const state = feed.stateAt(page.position);
        startWaiting(request);
        const hasChanged = await subscription.wait(state, leftMs, signal);
        stopWaiting(request);
        if (!hasChanged) break;
        await reader.check();
        page = await read(page);
      }
      return toFeedPage(page);
    } finally {
      response.off('close', leave);
      subscription.close();
      reader.release();
    }
  }

  /** Returns a stream of pages as server-sent events, which goes on until the client leaves. */
  events<P>(caller: Caller, feed: Feed<P>, { cursor, limit }: ChangeRequest): LiveResponse {
    const start = startOf(feed, cursor);
    const reader = this.readers.start(caller, feed.permission);
    const read = (from: Place<P>): Promise<Read<P>> => this.read(feed, from, limit, ',');
    const subscription = feed.watch.subscribe(feed.accountId, feed.id);
    const source: LiveSource = {
      mayEndEarly: true,
      async *texts(signal) {
        const isAborted = (): boolean => signal.aborted;
        let page = await read(start);
        yield eventOf(page);
        let { total } = page;
        while (!isAborted()) {
          if (page.isUpToDate) {
            const state = feed.stateAt(page.position);
            const hasChanged = await subscription.wait(state, HEARTBEAT_MS, signal);
            if (isAborted()) return;
            await reader.check();
            if (!hasChanged) {
              yield HEARTBEAT;
              continue;
            }
          } else await reader.check();
          page = await read(page);
          if (hasNews(page, total)) yield eventOf(page);
          ({ total } = page);
        }
      },
      close() {
        subscription.close();
        reader.release();
      },
    };
    const headers = { 'Content-Type': 'text/event-stream', ...STREAM_HEADERS };
    return new LiveResponse(source, headers, reader.controller);
  }

  /** Returns a stream of lines up to the last change. */
  lines<P>(caller: Caller, feed: Feed<P>, { cursor }: ChangeRequest): LiveResponse {
    const start = startOf(feed, cursor);
    const reader = this.readers.startStream(caller, feed.permission);
    const read = (from: Place<P>): Promise<Read<P>> =>
      this.read(feed, from, LINES_PAGE_ITEMS, '\n');
    const source: LiveSource = {
      mayEndEarly: false,
      texts: (signal) => linesOf(start, read, reader, signal),
      close() {
        reader.release();
      },
    };
    const headers = { 'Content-Type': 'application/x-ndjson', ...STREAM_HEADERS };
    return new LiveResponse(source, headers, reader.controller);
  }

  private read<P>(
    feed: Feed<P>,
    from: Place<P>,
    limit: number,
    separator: Separator,
  ): Promise<Read<P>> {
    const { cursor } = from;
    const key = `${feed.accountId} ${feed.id} ${feed.form} ${cursor} ${String(limit)} ${separator}`;
    const shared = this.reads.get(key);
    if (shared) {
      const again = (): Promise<Read<P>> => this.read(feed, from, limit, separator);
      return (shared.next ??= shared.current.then(again, again)) as Promise<Read<P>>;
    }
    const current = feed
      .read(from.position, limit, separator)
      .then((page) => ({ ...page, cursor: feed.encodeCursor(page.position) }))
      .finally(() => this.reads.delete(key));
    this.reads.set(key, { current });
    return current;
  }
}

/** Returns whether a page has something to tell a reader who knows this total. */
function hasNews({ count, total }: ReadPage<unknown>, known: number | undefined): boolean {
  return count > 0 || total !== known;
}

/** Yields the lines of each page, and then its cursor. Reads a page while the last one is sent. */
async function* linesOf<P>(
  start: Place<P>,
  read: (from: Place<P>) => Promise<Read<P>>,
  reader: LiveReader,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let next: Promise<Read<P>> | null = read(start);
  while (next) {
    const page: Read<P> = await next;
    await reader.check();
    signal.throwIfAborted();
    next = page.isUpToDate ? null : read(page);
    // If the stream ends now, nobody waits for the page.
    next?.catch(() => undefined);
    const { items, cursor, isUpToDate, total } = page;
    const end = JSON.stringify({ op: 'cursor', cursor, upToDate: isUpToDate, total });
    yield items === '' ? `${end}\n` : `${items}\n${end}\n`;
  }
}

function startOf<P>(feed: Feed<P>, cursor: string | undefined): Place<P> {
  if (cursor === undefined) return { position: 'all', cursor: 'all' };
  const position = cursor === 'latest' ? cursor : feed.decodeCursor(cursor);
  return { position, cursor };
}

function toFeedPage({ items, count, cursor, isUpToDate, total }: Read<unknown>): FeedPage {
  return new FeedPage(`[${items}]`, count, cursor, isUpToDate, total);
}

const events = new WeakMap<Read<unknown>, string>();

/** Returns a page as an event. All readers of the page share the text. */
function eventOf(page: Read<unknown>): string {
  const known = events.get(page);
  if (known !== undefined) return known;
  const { items, count, cursor, isUpToDate, total } = page;
  const meta = JSON.stringify({ pageSize: count, nextCursor: cursor, upToDate: isUpToDate, total });
  const text = `id: ${cursor}\ndata: {"data":[${items}],"meta":${meta}}\n\n`;
  events.set(page, text);
  return text;
}
