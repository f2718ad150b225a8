import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { conflict } from '../../common/error/app-error';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import { onDuplicate } from '../../platform/database/database-error';
import { MAX_SEARCH_CHARACTERS } from '../../rows/query/filter/parse-filter';
import { DATE_BUCKETS, type DateBucket } from '../../rows/query/query-column';
import { SEARCH_DESCRIPTION } from '../../rows/query/row-query';
import { AGGREGATE_FUNCTIONS, type AggregateFunction } from '../../rows/query/aggregate-function';
import { PINNED_SIDES } from '../view.entity';

/** Maximum number of views of a datagrid. */
export const MAX_VIEWS = 100;
/** More than the highest setting of MAX_COLUMNS. */
const MAX_LISTED_COLUMNS = 2_000;
/** Four keys, each with a minus and a comma. */
const MAX_SORT_LENGTH = 300;
const MIN_WIDTH = 40;
const MAX_WIDTH = 2_000;

const WIDTH_MESSAGE = `must be an integer from ${String(MIN_WIDTH)} to ${String(MAX_WIDTH)}`;

/** Allows the property to be absent or `null`. */
const MayBeNull = (): PropertyDecorator =>
  ValidateIf((_object, value: unknown) => value !== undefined && value !== null);

const IsFilter = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'viewFilter',
      validator: {
        validate: (value) => typeof value === 'object' && !Array.isArray(value),
        defaultMessage: () => 'must be null or a JSON object',
      },
    },
    { context: { code: 'wrong_type' } },
  );

/** A column in the layout of a view. */
export class ViewColumnDto {
  /**
   * Key of the column.
   * @example 'iata'
   */
  @ApiProperty({ maxLength: MAX_KEY_LENGTH })
  @IsString({ message: 'must be a string', context: { code: 'wrong_type' } })
  key!: string;

  /**
   * Width in pixels. Absent if not set.
   * @example 240
   */
  @ApiPropertyOptional({ type: 'integer', minimum: MIN_WIDTH, maximum: MAX_WIDTH })
  @MayBeAbsent()
  @Min(MIN_WIDTH, { message: WIDTH_MESSAGE, context: { code: 'out_of_range' } })
  @Max(MAX_WIDTH, { message: WIDTH_MESSAGE, context: { code: 'out_of_range' } })
  @IsInt({ message: WIDTH_MESSAGE, context: { code: 'wrong_type' } })
  width?: number;

  /** Whether the column is hidden, and left out of rows that are read through the view. */
  @ApiPropertyOptional({ type: Boolean })
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  hidden?: boolean;

  /** Side of the grid to which the column is pinned. Absent if it is not pinned. */
  @ApiPropertyOptional({ enum: PINNED_SIDES })
  @MayBeAbsent()
  @IsIn(PINNED_SIDES, { message: 'must be "left" or "right"', context: { code: 'not_a_choice' } })
  pinned?: (typeof PINNED_SIDES)[number];

  /**
   * Function whose result for the rows of the view the console shows below the column, as in a request
   * for aggregates. Absent for none.
   */
  @ApiPropertyOptional({ enum: AGGREGATE_FUNCTIONS })
  @MayBeAbsent()
  @IsIn(AGGREGATE_FUNCTIONS, {
    message: `must be one of ${AGGREGATE_FUNCTIONS.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  summary?: AggregateFunction;
}

const FILTER = {
  type: 'object',
  additionalProperties: true,
  nullable: true,
  example: { country: 'USA' },
} as const;
const SORT = { type: 'string', nullable: true, maxLength: MAX_SORT_LENGTH } as const;
const SEARCH = {
  type: 'string',
  nullable: true,
  minLength: 1,
  maxLength: MAX_SEARCH_CHARACTERS,
  description: SEARCH_DESCRIPTION,
  example: 'international',
} as const;

const KEY_OR_NULL = {
  type: 'string',
  nullable: true,
  maxLength: MAX_KEY_LENGTH,
  example: 'country',
} as const;

const BUCKET = {
  enum: [...DATE_BUCKETS, null],
  type: String,
  nullable: true,
  example: null,
} as const;

/** A saved view of a datagrid. */
export class ViewDto {
  /**
   * ID of the view: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b15'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Name. Unique in the datagrid, ignoring case.
   * @example 'American airports'
   */
  @ApiProperty()
  name!: string;

  /** Filter, as in a row query. `null` if all rows match. A removed column is named `key~id`. */
  @ApiProperty(FILTER)
  filter!: Record<string, unknown> | null;

  /**
   * Sort order, as in a row query. `null` for the order of IDs. A removed column is named `key~id`.
   * @example '-latitude,name'
   */
  @ApiProperty(SORT)
  sort!: string | null;

  @ApiProperty(SEARCH)
  q!: string | null;

  /** Layout: columns in the order of display. Columns that are not listed follow, visible. */
  @ApiProperty({ type: [ViewColumnDto] })
  columns!: ViewColumnDto[];

  /** Key of the column by which the console groups the rows. `null` for no groups. */
  @ApiProperty(KEY_OR_NULL)
  groupBy!: string | null;

  /**
   * Period by which the console groups dates and times, in UTC. Weeks start on Monday. `null` for
   * columns of other types, and to group by the values themselves.
   */
  @ApiProperty(BUCKET)
  groupBucket!: DateBucket | null;

  /** Key of the `select` column by whose choices the console colors the rows. `null` for no colors. */
  @ApiProperty({ ...KEY_OR_NULL, example: 'size' })
  colorBy!: string | null;

  /**
   * Time at which the view was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time at which the view last changed.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** A new view. */
export class CreateViewDto {
  /**
   * Name: 1 to 200 characters after trimming. Unique in the datagrid, ignoring case.
   * @example 'American airports'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /** Filter, as in a row query: up to 16,384 bytes of JSON. `null` to match all rows. */
  @ApiPropertyOptional(FILTER)
  @MayBeNull()
  @IsFilter()
  filter?: Record<string, unknown> | null;

  /**
   * Sort order, as in a row query. `null` for the order of IDs.
   * @example '-latitude,name'
   */
  @ApiPropertyOptional(SORT)
  @MayBeNull()
  @MaxLength(MAX_SORT_LENGTH, {
    message: `must not be longer than ${String(MAX_SORT_LENGTH)} characters`,
    context: { code: 'out_of_range' },
  })
  @IsString({ message: 'must be a string or null', context: { code: 'wrong_type' } })
  sort?: string | null;

  @ApiPropertyOptional(SEARCH)
  @MayBeNull()
  @IsString({ message: 'must be a string or null', context: { code: 'wrong_type' } })
  q?: string | null;

  /** Layout: columns in the order of display. Columns that are not listed follow, visible. */
  @ApiPropertyOptional({
    type: [ViewColumnDto],
    maxItems: MAX_LISTED_COLUMNS,
    example: [{ key: 'iata', width: 90 }],
  })
  @MayBeAbsent()
  @ArrayMaxSize(MAX_LISTED_COLUMNS, {
    message: `must not list more than ${String(MAX_LISTED_COLUMNS)} columns`,
    context: { code: 'too_many' },
  })
  @ValidateNested({ message: 'must be a column', context: { code: 'wrong_type' } })
  @IsArray({ message: 'must be an array of columns', context: { code: 'wrong_type' } })
  @Type(() => ViewColumnDto)
  columns?: ViewColumnDto[];

  /**
   * Key of the column by which the console groups the rows: any column except those of the types
   * `multiSelect` and `json`. It does not change which rows the API returns. `null` for no groups.
   */
  @ApiPropertyOptional(KEY_OR_NULL)
  @MayBeNull()
  @IsString({ message: 'must be a string or null', context: { code: 'wrong_type' } })
  groupBy?: string | null;

  /**
   * Period by which the console groups a `date` or `datetime` column, in UTC. Weeks start on Monday.
   * `null` to group by the values themselves. If `groupBy` names another column, the default is
   * `null`.
   */
  @ApiPropertyOptional(BUCKET)
  @MayBeNull()
  @IsIn(DATE_BUCKETS, {
    message: `must be null or one of ${DATE_BUCKETS.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  groupBucket?: DateBucket | null;

  /** Key of the `select` column by whose choices the console colors the rows. `null` for no colors. */
  @ApiPropertyOptional({ ...KEY_OR_NULL, example: 'size' })
  @MayBeNull()
  @IsString({ message: 'must be a string or null', context: { code: 'wrong_type' } })
  colorBy?: string | null;
}

/** Changes to a view. Absent properties keep their values. */
export class UpdateViewDto extends PartialType(CreateViewDto, { skipNullProperties: false }) {}

/** Runs `work`. @throws AppError `conflict` if two views of the datagrid would have one name. */
export function withFreeViewName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is already used by another view of this datagrid';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('datagrid_views_name', taken, work);
}
