import type { PageRequest } from '../paging/page-request';

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
    /** Strong ETag of this page, including the quotes, if there is one. */
    readonly etag?: string,
  ) {}
}
