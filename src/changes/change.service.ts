import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../common/caller/app-request';
import { FeedPage } from '../common/envelope/page';
import { LiveResponse, type LiveSource } from '../platform/http/live-response';
import type { CountedResponse } from '../platform/load/load';
import { decodeChangeCursor, encodeChangeCursor } from './change-cursor';
import {
  type ChangePage,
  ChangePageService,
  type ChangeStart,
  type PageForm,
} from './change-page.service';
import type { ChangeRequest } from './change-request';
import { ChangeWatch } from './change-watch';
import { type LiveReader, LiveReaders } from './live-readers';

/** Interval of comments in a stream without changes, so that proxies keep the connection open. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ':\n\n';

/** Rows of a page of a stream of lines. */
const LINES_PAGE_ROWS = 2_000;

const STREAM_HEADERS = {
  'Cache-Control': 'no-store',
  // nginx would otherwise keep events back until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/** A page and the cursor after it. */
interface Read extends ChangePage {
  readonly cursor: string;
}

/** Pages at the same position, which readers share. */
interface SharedRead {
  /** The page that is being read. It may lack a change that a client has just made. */
  readonly current: Promise<Read>;
  /** The page that is read after it, for readers that came meanwhile. */
  next?: Promise<Read>;
}

/** Gives clients what has changed in a datagrid: as pages, which may wait for changes, or streams. */
@Injectable()
export class ChangeService {
  private readonly reads = new Map<string, SharedRead>();

  constructor(
    private readonly pages: ChangePageService,
    private readonly watch: ChangeWatch,
    private readonly readers: LiveReaders,
  ) {}

  /**
   * Returns the page after the cursor. If it is empty, waits for a change as long as requested.
   * @param response No longer counted as a request in progress once it waits. Many readers wake at
   *   the same time, share the pages that they read, and wait for the database gate.
   * @throws AppError `not_found`, `invalid_request`, `cursor_expired`, `rate_limited` or
   *   `unavailable`.
   */
  async page(
    caller: Caller,
    datagridId: string,
    { cursor, limit, waitSeconds, hasOrigins }: ChangeRequest,
    response: Response & CountedResponse,
  ): Promise<FeedPage> {
    const start = startOf(datagridId, cursor);
    const read = (from: ChangeStart): Promise<Read> =>
      this.read(caller.accountId, datagridId, from, { limit, separator: ',', hasOrigins });
    if (waitSeconds === 0) return toFeedPage(await read(start));
    const reader = this.readers.start(caller);
    const leave = (): void => {
      reader.controller.abort();
    };
    response.once('close', leave);
    const subscription = this.watch.subscribe(datagridId);
    try {
      const { signal } = reader.controller;
      const deadlineMs = performance.now() + waitSeconds * 1_000;
      let page = await read(start);
      while (page.count === 0 && page.isUpToDate && !signal.aborted) {
        const leftMs = deadlineMs - performance.now();
        if (leftMs <= 0) break;
        response.stopCounting();
        const hasChanged = await subscription.wait(page.position.revision, leftMs, signal);
        if (!hasChanged) break;
        await reader.check();
        page = await read(page.position);
      }
      return toFeedPage(page);
    } finally {
      response.off('close', leave);
      subscription.close();
      reader.release();
    }
  }

  /** Returns a stream of pages as server-sent events, which goes on until the client leaves. */
  events(
    caller: Caller,
    datagridId: string,
    { cursor, limit, hasOrigins }: ChangeRequest,
  ): LiveResponse {
    const start = startOf(datagridId, cursor);
    const reader = this.readers.start(caller);
    const read = (from: ChangeStart): Promise<Read> =>
      this.read(caller.accountId, datagridId, from, { limit, separator: ',', hasOrigins });
    const subscription = this.watch.subscribe(datagridId);
    const source: LiveSource = {
      mayEndEarly: true,
      async *texts(signal) {
        const isAborted = (): boolean => signal.aborted;
        let page = await read(start);
        yield eventOf(page);
        while (!isAborted()) {
          if (page.isUpToDate) {
            const { revision } = page.position;
            const hasChanged = await subscription.wait(revision, HEARTBEAT_MS, signal);
            if (isAborted()) return;
            await reader.check();
            if (!hasChanged) {
              yield HEARTBEAT;
              continue;
            }
          } else await reader.check();
          page = await read(page.position);
          if (page.count > 0) yield eventOf(page);
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
  lines(caller: Caller, datagridId: string, { cursor, hasOrigins }: ChangeRequest): LiveResponse {
    const start = startOf(datagridId, cursor);
    const reader = this.readers.startStream(caller);
    const form = { limit: LINES_PAGE_ROWS, separator: '\n', hasOrigins } as const;
    const read = (from: ChangeStart): Promise<Read> =>
      this.read(caller.accountId, datagridId, from, form);
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

  private read(
    accountId: string,
    datagridId: string,
    start: ChangeStart,
    form: PageForm,
  ): Promise<Read> {
    const at = typeof start === 'string' ? start : encodeChangeCursor(datagridId, start);
    const { limit, separator, hasOrigins } = form;
    const key = `${accountId} ${datagridId} ${at} ${String(limit)} ${separator} ${String(hasOrigins)}`;
    const shared = this.reads.get(key);
    if (shared) {
      const again = (): Promise<Read> => this.read(accountId, datagridId, start, form);
      return (shared.next ??= shared.current.then(again, again));
    }
    const current = this.pages
      .read(accountId, datagridId, start, form)
      .then((page) => ({ ...page, cursor: encodeChangeCursor(datagridId, page.position) }))
      .finally(() => this.reads.delete(key));
    this.reads.set(key, { current });
    return current;
  }
}

/** Yields the lines of each page, and then its cursor. Reads a page while the last one is sent. */
async function* linesOf(
  start: ChangeStart,
  read: (from: ChangeStart) => Promise<Read>,
  reader: LiveReader,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let next: Promise<Read> | null = read(start);
  while (next) {
    const page: Read = await next;
    await reader.check();
    signal.throwIfAborted();
    next = page.isUpToDate ? null : read(page.position);
    // If the stream ends now, nobody waits for the page.
    next?.catch(() => undefined);
    const { items, cursor, isUpToDate } = page;
    const end = JSON.stringify({ op: 'cursor', cursor, upToDate: isUpToDate });
    yield items === '' ? `${end}\n` : `${items}\n${end}\n`;
  }
}

function startOf(datagridId: string, cursor: string | undefined): ChangeStart {
  if (cursor === undefined) return 'rows';
  return cursor === 'latest' ? 'latest' : decodeChangeCursor(datagridId, cursor);
}

function toFeedPage({ items, count, cursor, isUpToDate }: Read): FeedPage {
  return new FeedPage(`[${items}]`, count, cursor, isUpToDate);
}

const events = new WeakMap<Read, string>();

/** Returns a page as an event. All readers of the page share the text. */
function eventOf(page: Read): string {
  const known = events.get(page);
  if (known !== undefined) return known;
  const { items, count, cursor, isUpToDate } = page;
  const meta = JSON.stringify({ pageSize: count, nextCursor: cursor, upToDate: isUpToDate });
  const text = `id: ${cursor}\ndata: {"data":[${items}],"meta":${meta}}\n\n`;
  events.set(page, text);
  return text;
}
