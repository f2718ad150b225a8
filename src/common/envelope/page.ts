import type { PageRequest } from '../paging/page-request';

/** One page of a list, as services hand it to controllers. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** Items in the whole list, of the same snapshot as the page. */
    readonly total: number,
    readonly request: PageRequest,
  ) {}
}
