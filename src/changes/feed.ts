import { Injectable } from '@nestjs/common';
import { printingNumbers } from '../common/json/printed-numbers';
import type { Permission } from '../common/permission/permission';
import { runInSlices } from '../platform/fairness/event-loop-turns';
import type { Watch, WatchState } from './change-watch';

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
export interface Place<P> {
  readonly position: FeedStart<P>;
  readonly cursor: string;
}

/** A page and the cursor after it. */
export interface Read<P> extends ReadPage<P> {
  readonly cursor: string;
}

/**
 * Returns the place of a cursor, or the beginning of the feed.
 * @throws AppError `invalid_request`
 */
export function startOf<P>(feed: Feed<P>, cursor: string | undefined): Place<P> {
  if (cursor === undefined) return { position: 'all', cursor: 'all' };
  const position = cursor === 'latest' ? cursor : feed.decodeCursor(cursor);
  return { position, cursor };
}

/** Returns whether a page has something to tell a reader who knows this total. */
export function hasNews(
  { count, total }: Pick<ReadPage<unknown>, 'count' | 'total'>,
  known: number | undefined,
): boolean {
  return count > 0 || total !== known;
}

/** Reads a page, whose numbers are printed as JavaScript prints them. */
async function printedPage<P>(
  feed: Feed<P>,
  from: Place<P>,
  limit: number,
  separator: Separator,
): Promise<Read<P>> {
  const page = await feed.read(from.position, limit, separator);
  const items = await runInSlices(feed.accountId, (isDue) => printingNumbers(page.items, isDue));
  return { ...page, items, cursor: feed.encodeCursor(page.position) };
}

/** Pages at the same position, which readers share. */
interface SharedRead {
  /** The page that is being read. It may lack a change that a client has just made. */
  readonly current: Promise<Read<unknown>>;
  /** The page that is read after it, for readers that came meanwhile. */
  next?: Promise<Read<unknown>>;
}

/** Reads pages of feeds. Readers at the same position share a page. */
@Injectable()
export class FeedPages {
  private readonly reads = new Map<string, SharedRead>();

  /** @throws what `Feed.read` throws */
  read<P>(feed: Feed<P>, from: Place<P>, limit: number, separator: Separator): Promise<Read<P>> {
    const { cursor } = from;
    const key = `${feed.accountId} ${feed.id} ${feed.form} ${cursor} ${String(limit)} ${separator}`;
    const shared = this.reads.get(key);
    if (shared) {
      const again = (): Promise<Read<P>> => this.read(feed, from, limit, separator);
      return (shared.next ??= shared.current.then(again, again)) as Promise<Read<P>>;
    }
    const current = printedPage(feed, from, limit, separator).finally(() => this.reads.delete(key));
    this.reads.set(key, { current });
    return current;
  }
}

/** Returns the `meta` object of a page of a feed. There is always a cursor to continue with. */
export function feedMeta({ count, cursor, isUpToDate, total }: Read<unknown>): object {
  // Inverse of `upToDate`. Many clients expect `hasMore`.
  const hasMore = !isUpToDate;
  return { pageSize: count, nextCursor: cursor, upToDate: isUpToDate, hasMore, total };
}
