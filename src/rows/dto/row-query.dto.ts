import { ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_SEARCH_CHARACTERS } from '../query/filter/parse-filter';
import { MAX_PAGE } from '../../common/paging/page-request';
import {
  EXPAND_DESCRIPTION,
  MAX_EXPAND_LENGTH,
  MAX_FIELDS_LENGTH,
  MAX_SORT_LENGTH,
  SEARCH_DESCRIPTION,
} from '../query/row-query';

/** A row query in a body. It has the same properties as the query parameters of the list. */
export class RowQueryDto {
  /** Conditions that rows must meet, by column key. A plain value means `$eq`. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { country: 'USA', latitude: { $gte: 40, $lt: 50 } },
  })
  filter?: Record<string, unknown>;

  /**
   * Keys of up to four columns to sort by, separated by commas. A minus before a key sorts in
   * descending order. Rows without a value come last, and rows with equal values are ordered by ID.
   * @example '-latitude,name'
   */
  @ApiPropertyOptional({ maxLength: MAX_SORT_LENGTH })
  sort?: string;

  /**
   * Keys of the columns to return, separated by commas. The default is all columns.
   * @example 'iata,name,latitude'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_FIELDS_LENGTH })
  fields?: string;

  @ApiPropertyOptional({
    description: EXPAND_DESCRIPTION,
    minLength: 1,
    maxLength: MAX_EXPAND_LENGTH,
  })
  expand?: string;

  /** @example 'international' */
  @ApiPropertyOptional({
    description: SEARCH_DESCRIPTION,
    minLength: 1,
    maxLength: MAX_SEARCH_CHARACTERS,
  })
  q?: string;

  /**
   * Number of the page, starting at 1. Cannot be combined with `cursor`. Without `page` and `cursor`,
   * the first page is returned.
   * @example 1
   */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 1, maximum: MAX_PAGE })
  page?: number;

  /**
   * Number of rows on a page.
   * @example 20
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 200, default: 20 })
  limit?: number;

  /**
   * Position in the list, in place of `page`. Empty for the first page; then `meta.nextCursor` of the
   * previous response.
   */
  cursor?: string;

  /**
   * ID of a saved view, which the query narrows. `sort`, `q` and `fields` replace those of the view.
   */
  @ApiPropertyOptional({ format: 'uuid' })
  view?: string;
}
