import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { MAX_KEY_LENGTH } from '../../../datagrids/column/dto/column-key';
import { MayBeAbsent } from '../../../common/validation/text-rules';
import { MAX_SEARCH_CHARACTERS } from '../../query/filter/parse-filter';
import { DATE_BUCKETS, type DateBucket } from '../../query/query-column';
import { SEARCH_DESCRIPTION } from '../../query/row-query';
import { AGGREGATE_FUNCTIONS, type AggregateFunction } from '../../query/aggregate-function';

const MAX_GROUP_COLUMNS = 3;
const MAX_AGGREGATES = 20;
const MAX_GROUPS = 1_000;
const DEFAULT_GROUPS = 100;
/** Four names, each with a minus and a comma. */
const MAX_SORT_LENGTH = 400;

const LIMIT_MESSAGE = `must be an integer from 1 to ${MAX_GROUPS.toLocaleString('en-US')}`;
const wrongType = (message: string): { message: string; context: { code: 'wrong_type' } } => {
  return { message, context: { code: 'wrong_type' } };
};

/** A column by which rows are grouped. */
export class GroupColumnDto {
  /**
   * Key of the column, or `_id`, `_revision`, `_createdAt` or `_updatedAt`.
   * @example 'country'
   */
  @ApiProperty({ maxLength: MAX_KEY_LENGTH })
  @IsString(wrongType('must be a string'))
  column!: string;

  /**
   * Period, for columns of the types `date` and `datetime`. The value of a group is the first day of
   * its period, in UTC. Weeks start on Monday.
   */
  @ApiPropertyOptional({ enum: DATE_BUCKETS })
  @MayBeAbsent()
  @IsIn(DATE_BUCKETS, {
    message: `must be one of ${DATE_BUCKETS.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  bucket?: DateBucket;
}

/** A value to compute for each group. */
export class AggregateDto {
  /**
   * `count` counts rows or, with `column`, rows that have a value. `countDistinct` counts different
   * values. `sum` and `avg` take numbers, and `min` and `max` take values that have an order.
   * @example 'avg'
   */
  @ApiProperty({ enum: AGGREGATE_FUNCTIONS })
  @IsIn(AGGREGATE_FUNCTIONS, {
    message: `must be one of ${AGGREGATE_FUNCTIONS.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  function!: AggregateFunction;

  /**
   * Key of the column, or `_id`, `_revision`, `_createdAt` or `_updatedAt`. Required except for
   * `count`.
   * @example 'latitude'
   */
  @ApiPropertyOptional({ maxLength: MAX_KEY_LENGTH })
  @MayBeAbsent()
  @IsString(wrongType('must be a string'))
  column?: string;

  /**
   * Name in `values`: up to 63 letters, digits and underscores. The default is the function, with
   * the column if there is one, such as `avg_latitude`.
   * @example 'middle'
   */
  @ApiPropertyOptional({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$' })
  @MayBeAbsent()
  @Matches(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, {
    message:
      'must start with a letter, and have at most 63 letters (a to z), digits and underscores',
    context: { code: 'invalid_format' },
  })
  @IsString(wrongType('must be a string'))
  as?: string;
}

/** Which rows are grouped, how, and which values are computed. */
export class AggregateRowsDto {
  /** Columns to group by. Without them, all rows are one group. */
  @ApiPropertyOptional({
    type: [GroupColumnDto],
    maxItems: MAX_GROUP_COLUMNS,
    example: [{ column: 'country' }],
  })
  @MayBeAbsent()
  @ArrayMaxSize(MAX_GROUP_COLUMNS, {
    message: `must not list more than ${String(MAX_GROUP_COLUMNS)} columns`,
    context: { code: 'too_many' },
  })
  @ValidateNested(wrongType('must be an object with column and bucket'))
  @IsArray(wrongType('must be an array of objects with column and bucket'))
  @Type(() => GroupColumnDto)
  groupBy?: GroupColumnDto[];

  /** Values to compute for each group. The default is the number of rows. */
  @ApiPropertyOptional({
    type: [AggregateDto],
    minItems: 1,
    maxItems: MAX_AGGREGATES,
    example: [{ function: 'count' }, { function: 'avg', column: 'latitude', as: 'middle' }],
  })
  @MayBeAbsent()
  @ArrayMaxSize(MAX_AGGREGATES, {
    message: `must not list more than ${String(MAX_AGGREGATES)} aggregates`,
    context: { code: 'too_many' },
  })
  @ArrayMinSize(1, { message: 'must not be empty', context: { code: 'required' } })
  @ValidateNested(wrongType('must be an object with function, column and as'))
  @IsArray(wrongType('must be an array of objects with function, column and as'))
  @Type(() => AggregateDto)
  aggregates?: AggregateDto[];

  /** Conditions that rows must meet, as in a row query. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { latitude: { $gte: 40, $lt: 50 } },
  })
  @MayBeAbsent()
  @IsObject(wrongType('must be a JSON object'))
  filter?: Record<string, unknown>;

  /** @example 'international' */
  @ApiPropertyOptional({
    description: SEARCH_DESCRIPTION,
    minLength: 1,
    maxLength: MAX_SEARCH_CHARACTERS,
  })
  @MayBeAbsent()
  @IsString(wrongType('must be a string'))
  q?: string;

  /**
   * ID of a saved view, whose filter and search apply. `filter` narrows its filter, and `q` replaces its
   * search.
   */
  @ApiPropertyOptional({ format: 'uuid' })
  @MayBeAbsent()
  @IsString(wrongType('must be a string'))
  view?: string;

  /**
   * Up to four names of aggregates and keys of group columns, separated by commas. A minus sorts in
   * descending order. Groups without a value come last. The default is the order of the group
   * columns, which also sorts groups with equal values.
   * @example '-count'
   */
  @ApiPropertyOptional({ maxLength: MAX_SORT_LENGTH })
  @MayBeAbsent()
  @MaxLength(MAX_SORT_LENGTH, {
    message: `must not be longer than ${String(MAX_SORT_LENGTH)} characters`,
    context: { code: 'out_of_range' },
  })
  @IsString(wrongType('must be a string'))
  sort?: string;

  /**
   * Maximum number of groups to return. `meta.total` is the number of all groups.
   * @example 20
   */
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_GROUPS,
    default: DEFAULT_GROUPS,
  })
  @MayBeAbsent()
  @Min(1, { message: LIMIT_MESSAGE, context: { code: 'out_of_range' } })
  @Max(MAX_GROUPS, { message: LIMIT_MESSAGE, context: { code: 'out_of_range' } })
  @IsInt(wrongType(LIMIT_MESSAGE))
  limit: number = DEFAULT_GROUPS;
}

/** A group of rows. */
export class RowGroupDto {
  /**
   * Value of each group column, as in a row. `null` for rows without a value. With `bucket`, the
   * first day of the period. Empty without `groupBy`.
   */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { country: 'USA' },
  })
  group!: Record<string, unknown>;

  /**
   * Computed values by name. Counts are integers. `sum` and `avg` are decimal numbers in strings:
   * sums are exact, and averages are rounded to 16 or more significant digits. `min` and `max` are
   * values as in a row. `null` if no row of the group has a value.
   */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { count: 3, middle: '41.5' },
  })
  values!: Record<string, unknown>;
}
