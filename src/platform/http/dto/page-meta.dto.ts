import { ApiProperty } from '@nestjs/swagger';

/** Where a page stands in its list. */
export class PageMetaDto {
  /**
   * Items in the whole list, exact, of the same snapshot as the page
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  total!: number;

  /**
   * This page's number, from 1
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  page!: number;

  /**
   * Items actually on this page
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  pageSize!: number;

  /**
   * Pages there are; 0 where there is nothing
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  totalPages!: number;
}
