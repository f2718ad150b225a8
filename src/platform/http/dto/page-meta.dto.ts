/** Where a page stands in its list. */
export class PageMetaDto {
  /**
   * Items in the whole list, exact, of the same snapshot as the page
   * @example 3376
   */
  total!: number;

  /**
   * This page's number, from 1
   * @example 1
   */
  page!: number;

  /**
   * Items actually on this page
   * @example 20
   */
  pageSize!: number;

  /**
   * Pages there are; 0 where there is nothing
   * @example 169
   */
  totalPages!: number;
}
