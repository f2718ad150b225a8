import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const LINKED_EXAMPLE = {
  hub: {
    '7': {
      id: 7,
      values: { iata: 'FRA', name: 'Frankfurt' },
      revision: 4,
      createdAt: '2026-11-21T09:30:00.000Z',
      updatedAt: '2026-11-21T09:30:00.000Z',
    },
  },
};

/** Position of a page in its list. */
export class PageMetaDto {
  /**
   * Exact number of items in the list, from the same snapshot as the page.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  total!: number;

  /**
   * Number of this page, starting at 1.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  page!: number;

  /**
   * Number of items on this page.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  pageSize!: number;

  /**
   * Number of pages. `0` if the list is empty.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  totalPages!: number;
}

/** Position in a list that is read with a cursor. The list has no total. */
export class CursorMetaDto {
  /**
   * Number of items in this response.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  pageSize!: number;

  /** `cursor` of the next page. `null` if this page is the last one. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Mjo6MjA' })
  nextCursor!: string | null;
}

/** The rows that the rows of a response link to. */
export class LinkedMetaDto {
  /**
   * Rows by the path in `expand`, such as `customer` or `lines.product`, and by ID. Each row is listed
   * once for a path. Present only if the request has `expand`.
   */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: { $ref: '#/components/schemas/RowDto' },
    },
    example: LINKED_EXAMPLE,
  })
  linked?: Record<string, Record<string, unknown>>;

  /**
   * Keys of the `lookup` and `count` columns whose values are left out, because the API key has no access
   * to the datagrids that they are read from. Absent if there are none.
   */
  @ApiPropertyOptional({ type: [String], example: ['airlineName'] })
  withheld?: string[];
}

/** Position in a list that is read by page or with a cursor. */
export class PageOrCursorMetaDto extends LinkedMetaDto {
  /**
   * Number of items in this response.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  pageSize!: number;

  /**
   * Exact number of items in the list, from the same snapshot as the page. Absent if the request has
   * `cursor`.
   * @example 1
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  total?: number;

  /**
   * Number of this page, starting at 1. Absent if the request has `cursor`.
   * @example 1
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  page?: number;

  /**
   * Number of pages. `0` if the list is empty. Absent if the request has `cursor`.
   * @example 1
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  totalPages?: number;

  /**
   * `cursor` of the next page. `null` if this page is the last one. Absent if the rows are sorted and the
   * request has no `cursor`.
   */
  @ApiPropertyOptional({ type: 'string', nullable: true, example: 'Mjo6MjA' })
  nextCursor?: string | null;
}

/** Size of a list that has no pages. */
export class ListMetaDto {
  /**
   * Exact number of items in the list, from the same snapshot. The response has at most `limit` of
   * them.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  total!: number;
}

/** Position in a feed, which has no end. */
export class FeedMetaDto {
  /**
   * Number of items in this response.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  pageSize!: number;

  /** `cursor` of the next request. */
  @ApiProperty({ type: 'string', example: 'MTo0YTBjNmYwZjdiMDg6Yzo0OjA6MDo0OjE3NjM3MTc0MDAwMDA' })
  nextCursor!: string;

  /** Whether you have read everything up to now. */
  @ApiProperty({ type: 'boolean' })
  upToDate!: boolean;

  /** Whether the next request returns more at once. The inverse of `upToDate`. */
  @ApiProperty({ type: 'boolean' })
  hasMore!: boolean;
}

/** Position in the feed of a workspace. */
export class WorkspaceFeedMetaDto extends FeedMetaDto {
  /**
   * Number of datagrids of the workspace.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  total!: number;
}
