import { ApiPropertyOptional } from '@nestjs/swagger';

/** A query for rows of a datagrid: the same members as the parameters of the list. */
export class RowQueryDto {
  /** What rows must meet, by column key. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { country: 'USA', latitude: { $gte: 40, $lt: 50 } },
  })
  filter?: Record<string, unknown>;

  /**
   * Up to four columns, a minus for the greatest first
   * @example '-latitude,name'
   */
  sort?: string;

  /**
   * The columns to give; all where absent
   * @example 'iata,name,latitude'
   */
  fields?: string;

  /**
   * Text to be found in any text column, ignoring case
   * @minLength 1
   * @maxLength 256
   * @example 'international'
   */
  q?: string;

  /**
   * From 1; not with `cursor`
   * @minimum 1
   * @example 1
   */
  page?: number;

  /**
   * Rows on a page
   * @minimum 1
   * @maximum 200
   * @example 20
   */
  limit?: number;

  /** Empty for the first rows, then what `meta.nextCursor` said. */
  cursor?: string;
}
