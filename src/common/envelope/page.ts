import { extendedEtag } from '../conditional/if-match';
import type { PageRequest } from '../paging/page-request';

/** One page of a list, as services return it to controllers. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** Number of items in the whole list, from the same snapshot as the page. */
    readonly total: number,
    readonly request: PageRequest,
  ) {}
}

/**
 * A page whose items are JSON text, which is copied into the envelope. The hottest path does not
 * parse JSON just to serialize it again.
 */
export class JsonPage {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Number of items in `json`. */
    readonly count: number,
    /** Number of items in the whole list, from the same snapshot as the page. */
    readonly total: number,
    readonly request: PageRequest,
    /** Strong ETag of this page, including the quotes; by default a hash of the response. */
    readonly etag?: string,
    /** Linked rows by path and id, as a JSON object, if the request asked for them. */
    readonly linked?: string,
    /** Keys of computed columns whose values the reader has no access to. */
    readonly withheld: readonly string[] = [],
    /** Cursor that continues after the last item; `null` if none follow. Absent if there is none. */
    readonly nextCursor?: string | null,
  ) {}

  /**
   * Returns the page with linked rows. They are part of its ETag.
   * @param digest Identifies the linked rows.
   */
  withLinked(linked: string, digest: string): JsonPage {
    const { json, count, total, request, withheld, nextCursor } = this;
    const etag = this.etag && extendedEtag(this.etag, digest);
    return new JsonPage(json, count, total, request, etag, linked, withheld, nextCursor);
  }

  /** Returns the page with computed values. They are part of its ETag. */
  withComputed({ json, withheld, digest }: ComputedText): JsonPage {
    const { count, total, request, linked, nextCursor } = this;
    const etag = this.etag && extendedEtag(this.etag, digest);
    return new JsonPage(json, count, total, request, etag, linked, withheld, nextCursor);
  }
}

/** Text of rows with computed values. */
export interface ComputedText {
  readonly json: string;
  /** Keys of computed columns whose values the reader has no access to. */
  readonly withheld: readonly string[];
  /** Identifies the computed values. */
  readonly digest: string;
}

/** One object that the request has created or started, at its own URL. */
export class LocatedItem {
  constructor(
    readonly data: object,
    /** Path of the object, for the `Location` header. */
    readonly location: string,
    /**
     * Whether it is complete: the response is 201. Otherwise it is in progress and the response is
     * 202.
     */
    readonly isComplete: boolean,
    /** Whether an earlier request has started it. */
    readonly isReplayed: boolean,
  ) {}
}

/** Options of the response to a write. */
export interface WriteResponse {
  /**
   * Whether rows are returned with only their ids and revisions, as `Prefer: return=minimal`
   * requests.
   */
  readonly isMinimal: boolean;
  /**
   * Reserves memory for a response of that size. Call it before the commit, because a committed
   * write must get its response. Small responses need no reservation.
   * @throws AppError `unavailable` or `rate_limited` if there is not enough memory.
   */
  reserve(bytes: number): void;
}

/** Rows after a cursor, as JSON text that is copied into the envelope. */
export class CursorPage {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Items in `json`. */
    readonly count: number,
    /** Cursor that continues after the last item; `null` on the last page. */
    readonly nextCursor: string | null,
    /** Strong ETag of this page, including the quotes; by default a hash of the response. */
    readonly etag?: string,
    /** Linked rows by path and id, as a JSON object, if the request asked for them. */
    readonly linked?: string,
    /** As in `JsonPage`. */
    readonly withheld: readonly string[] = [],
  ) {}

  /** Like `JsonPage.withLinked`. */
  withLinked(linked: string, digest: string): CursorPage {
    const { json, count, nextCursor, withheld } = this;
    const etag = this.etag && extendedEtag(this.etag, digest);
    return new CursorPage(json, count, nextCursor, etag, linked, withheld);
  }

  /** Like `JsonPage.withComputed`. */
  withComputed({ json, withheld, digest }: ComputedText): CursorPage {
    const { count, nextCursor, linked } = this;
    const etag = this.etag && extendedEtag(this.etag, digest);
    return new CursorPage(json, count, nextCursor, etag, linked, withheld);
  }
}

/** The beginning of a list that has no pages, as JSON text that is copied into the envelope. */
export class JsonList {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Number of items in the whole list, from the same snapshot. */
    readonly total: number,
    /** Strong ETag, including the quotes. */
    readonly etag: string,
  ) {}
}

/** A page of a feed, which has no end: there is always a cursor to continue with. */
export class FeedPage {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Items in `json`. */
    readonly count: number,
    readonly nextCursor: string,
    /** Whether the reader has read everything up to now. */
    readonly isUpToDate: boolean,
    /** Number of resources that the feed lists, if it says so. */
    readonly total?: number,
  ) {}
}

/** Returns the `meta` object of a page of a feed, as JSON text. */
export function feedMeta(
  page: Pick<FeedPage, 'count' | 'nextCursor' | 'isUpToDate' | 'total'>,
): string {
  const { count, nextCursor, isUpToDate, total } = page;
  // The inverse of `upToDate`, by which many programs that read pages find out whether to go on.
  const hasMore = !isUpToDate;
  return JSON.stringify({ pageSize: count, nextCursor, upToDate: isUpToDate, hasMore, total });
}

/** One object as JSON text, which is copied into the envelope. */
export class JsonItem {
  constructor(
    readonly json: string,
    /** Strong ETag, including the quotes; by default a hash of the response. */
    readonly etag?: string,
    /** Linked rows by path and id, as a JSON object, if the request asked for them. */
    readonly linked?: string,
    /** As in `JsonPage`. */
    readonly withheld: readonly string[] = [],
  ) {}
}

/** One object with its strong ETag, including the quotes. */
export class Item<T> {
  constructor(
    readonly data: T,
    readonly etag: string,
  ) {}
}

/**
 * A 304 response without a body: the client has the current version, according to `If-None-Match`.
 */
export class NotModified {
  /** @param etag Strong ETag, including the quotes. */
  constructor(readonly etag: string) {}
}

/** JSON text sent without the envelope: a document in its own format. */
export class BareJson {
  constructor(
    readonly json: string,
    /** Headers of the response, which replace those of every read. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}
