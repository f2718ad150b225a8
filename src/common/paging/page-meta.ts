import type { PageRequest } from './page-request';

/** The `meta` of a list. */
export interface PageMeta {
  /** Items in the whole list. */
  readonly total: number;
  /** The page asked for, from 1; it may be past the end. */
  readonly page: number;
  /** Items on this page: fewer than the limit on the last one, none past it. */
  readonly pageSize: number;
  /** Pages in the whole list; 0 where it is empty. */
  readonly totalPages: number;
}

/** The `meta` of a page that holds `count` of a list's `total` items. */
export function pageMeta(request: PageRequest, total: number, count: number): PageMeta {
  return {
    total,
    page: request.page,
    pageSize: count,
    totalPages: Math.ceil(total / request.limit),
  };
}
