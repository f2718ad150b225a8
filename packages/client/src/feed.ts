import { ApiError } from './error.ts';
import type { CallOptions, Query, Transport } from './transport.ts';

/** Items of a feed, and the cursor to store with them. */
export interface FeedPage<Item> {
  readonly items: readonly Item[];
  readonly cursor: string;
  readonly isUpToDate: boolean;
  /** Whether this is the first page from the beginning, because there was no cursor or it has expired. */
  readonly isRestart: boolean;
}

export interface FeedOptions extends CallOptions {
  readonly cursor: string | null | undefined;
  readonly query: Query;
  readonly timeoutMs: number;
  /** Whether to read on after the last item. */
  readonly follow: boolean;
}

/** Yields the pages of a feed from a cursor on. If the cursor has expired, starts over. */
export async function* readFeed<Item>(
  transport: Transport,
  path: string,
  { query, timeoutMs, follow, signal, maxAttempts, ...options }: FeedOptions,
): AsyncGenerator<FeedPage<Item>> {
  let cursor = options.cursor ?? undefined;
  let isRestart = cursor === undefined;
  for (;;) {
    const call = { method: 'GET' as const, path, query: { ...query, cursor } };
    let page: FeedBody<Item>;
    try {
      page = await transport.body({ ...call, signal, maxAttempts, timeoutMs });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cursor_expired') throw error;
      // Without a cursor, a second one in a row is an error of the service.
      if (cursor === undefined) throw error;
      cursor = undefined;
      isRestart = true;
      continue;
    }
    const { data: items, meta } = page;
    cursor = meta.nextCursor;
    yield { items, cursor, isUpToDate: meta.upToDate, isRestart };
    isRestart = false;
    if (!follow && meta.upToDate) return;
  }
}

interface FeedBody<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly nextCursor: string; readonly upToDate: boolean };
}
