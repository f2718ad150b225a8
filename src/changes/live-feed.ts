import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AppRequest,
  type Caller,
  startWaiting,
  stopWaiting,
} from '../common/caller/app-request';
import { JsonResponse } from '../common/envelope/json-response';
import { AppError } from '../common/error/app-error';
import { type LiveResponse, TextResponse, type TextSource } from '../platform/http/live-response';
import type { CountedResponse } from '../platform/load/load';
import type { ChangeRequest } from './change-request';
import { type Feed, feedMeta, FeedPages, hasNews, type Place, type Read, startOf } from './feed';
import { LiveEvents } from './live-events';
import { type LiveReader, LiveReaders } from './live-readers';

/** Items of a page of a stream of lines. */
const LINES_PAGE_ITEMS = 2_000;

/** Gives clients the pages of a feed. A page may wait for changes, and streams may never end. */
@Injectable()
export class LiveFeed {
  constructor(
    private readonly readers: LiveReaders,
    private readonly pages: FeedPages,
    private readonly streams: LiveEvents,
  ) {}

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
  ): Promise<JsonResponse> {
    const start = startOf(feed, cursor);
    const read = (from: Place<P>): Promise<Read<P>> => this.pages.read(feed, from, limit, ',');
    if (waitSeconds === 0) return toResponse(await read(start));
    const controller = new AbortController();
    const { signal } = controller;
    const leave = (): void => {
      controller.abort();
    };
    const reader = this.readers.start(caller, feed.permission, {
      end(reason) {
        controller.abort(reason);
      },
    });
    response.once('close', leave);
    const subscription = feed.watch.subscribe(feed.accountId, feed.id);
    const request = response.req as AppRequest;
    try {
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
      if (signal.reason instanceof AppError) throw signal.reason;
      return toResponse(page);
    } finally {
      response.off('close', leave);
      subscription.close();
      reader.release();
    }
  }

  /** Returns a stream of pages as server-sent events, which goes on until the client leaves. */
  events<P>(caller: Caller, feed: Feed<P>, request: ChangeRequest): LiveResponse {
    return this.streams.open(caller, feed, request);
  }

  /** Returns a stream of lines up to the last change. */
  lines<P>(caller: Caller, feed: Feed<P>, { cursor }: ChangeRequest): LiveResponse {
    const start = startOf(feed, cursor);
    const controller = new AbortController();
    const reader = this.readers.startStream(caller, feed.permission, {
      end() {
        controller.abort();
      },
    });
    const read = (from: Place<P>): Promise<Read<P>> =>
      this.pages.read(feed, from, LINES_PAGE_ITEMS, '\n');
    const source: TextSource = {
      texts: (signal) => linesOf(start, read, reader, signal),
      close() {
        reader.release();
      },
    };
    return new TextResponse(source, 'application/x-ndjson', controller);
  }
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

function toResponse(page: Read<unknown>): JsonResponse {
  const meta = feedMeta(page);
  return JsonResponse.printed(`[${page.items}]`, { meta, hasFinalNumbers: true });
}
