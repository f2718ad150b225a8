import type { PageRequest } from '../paging/page-request';

/**
 * A page whose items are JSON text already. The text goes into the envelope as it is: on the
 * hottest path nothing is parsed only to be printed again.
 */
export class JsonPage {
  constructor(
    /** A JSON array. */
    readonly json: string,
    /** Items in `json`. */
    readonly count: number,
    /** Items in the whole list, of the same snapshot as the page. */
    readonly total: number,
    readonly request: PageRequest,
    /** Strong validator of this page, quotes included, where there is one. */
    readonly etag?: string,
  ) {}
}
