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
