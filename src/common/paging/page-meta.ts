import type { PageRequest } from './page-request';

/** The `meta` object of a list. */
export interface PageMeta {
  /** Number of items in the whole list. */
  readonly total: number;
  /** Requested page, from 1. It may be past the end. */
  readonly page: number;
  /**
   * Number of items on this page. It may be below the limit on the last page, and is 0 past the
   * end.
   */
  readonly pageSize: number;
  /** Number of pages in the whole list; 0 if it is empty. */
  readonly totalPages: number;
}

/** Returns the `meta` object of a page with `count` of a list's `total` items. */
export function pageMeta(request: PageRequest, total: number, count: number): PageMeta {
  return {
    total,
    page: request.page,
    pageSize: count,
    totalPages: Math.ceil(total / request.limit),
  };
}
