import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Allow, IsBoolean, IsIn, IsInt, IsObject, Max, Min, ValidateBy } from 'class-validator';
import { codePointLength } from '../../../common/text/id';
import { isListOf } from '../../../common/validation/list-rules';
import { IsName, MayBeAbsent } from '../../../common/validation/text-rules';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { COLUMN_KEY, MAX_CHOICE_LENGTH, MAX_CHOICES } from '../../column-type/column-options';
import type { StoredDefault } from '../datagrid-column.entity';
import { IsColumnKey, IsKeyList } from './column-key';
import { ColumnOptionsDto, ColumnOptionsInputDto, EXAMPLE_OPTIONS } from './column-options.dto';
import { MAX_PREVIOUS_KEYS } from '../previous-key';

const TYPE_DESCRIPTION = `Column type. It determines which values the column can have: ${COLUMN_TYPE_NAMES.map(
  (type) => `\`${type}\` (${COLUMN_TYPES[type].description})`,
).join(', ')}.`;

/**
 * Any value that a column can have. It has no type: of several types, some generated clients lose arrays
 * and objects.
 */
export const ANY_VALUE: Pick<ApiPropertyOptions, 'oneOf' | 'example'> = {
  oneOf: [{}],
  example: 'small',
};

/** Progress of an index build. */
export class ColumnIndexingDto {
  /**
   * Progress of the index build, from 0 to 1.
   * @example 0.25
   */
  @ApiProperty()
  progress!: number;
}

/** A key that a column had before. */
export class PreviousKeyDto {
  /**
   * The earlier key.
   * @example 'dimension'
   */
  @ApiProperty()
  key!: string;

  /**
   * Time from which requests with the key are rejected. The key is then free for another column.
   * @example '2027-02-19T09:33:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;
}

/** A column, as returned by the API. */
export class ColumnDto {
  /**
   * Name of the column in `values` of a row.
   * @example 'size'
   */
  @ApiProperty()
  key!: string;

  /**
   * Name for people.
   * @example 'Size'
   */
  @ApiProperty()
  title!: string;

  @ApiProperty({ enum: COLUMN_TYPE_NAMES, description: TYPE_DESCRIPTION, example: 'select' })
  type!: ColumnType;

  /** Whether every row must have a value. */
  @ApiProperty()
  required!: boolean;

  /** Whether every value must be different from those of all other rows. */
  @ApiProperty()
  unique!: boolean;

  /** Whether the column has an index, which makes filters and sorts by it fast. */
  @ApiProperty()
  indexed!: boolean;

  /** Options of the column type. `{}` if the type has none. */
  @ApiProperty({ example: EXAMPLE_OPTIONS })
  options!: ColumnOptionsDto;

  /** Keys that the column had before, and that requests may still use. Absent if there are none. */
  @ApiProperty({ type: [PreviousKeyDto], required: false })
  previousKeys?: PreviousKeyDto[];

  @ApiPropertyOptional({
    ...ANY_VALUE,
    description: 'Value of a row that is created without one. Absent if there is none.',
  })
  defaultValue?: StoredDefault;

  /**
   * Progress of the index. Present only while the index is being built; queries do not use the index
   * until then.
   */
  @ApiProperty({ type: ColumnIndexingDto, required: false })
  indexing?: ColumnIndexingDto;
}

/** Far more than the columns that a datagrid can have. */
const MAX_POSITION = 10_000;

const positionRule = {
  message: `must be an integer from 0 to ${String(MAX_POSITION)}`,
  context: { code: 'out_of_range' },
};

/** Validates a list of choices: see `options.choices`. */
const IsChoices = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'choices',
      validator: {
        validate: (value) => isListOf(value, isChoice) && value.length <= MAX_CHOICES,
        defaultMessage: () =>
          `must be a list of 1 to ${String(MAX_CHOICES)} different strings of 1 to ${String(MAX_CHOICE_LENGTH)} characters`,
      },
    },
    { context: { code: 'invalid_format' } },
  );

function isChoice(item: unknown): boolean {
  if (typeof item !== 'string') return false;
  const length = codePointLength(item);
  return length >= 1 && length <= MAX_CHOICE_LENGTH;
}

export const flagMessage = { message: 'must be true or false', context: { code: 'wrong_type' } };

/** Changes to a column. Absent properties keep their values. */
export class UpdateColumnDto {
  /**
   * Name of the column in `values` of a row. Requests can still use the present one for 90 days, unless
   * it is released.
   * @example 'size'
   */
  @ApiPropertyOptional({ pattern: COLUMN_KEY.source })
  @MayBeAbsent()
  @IsColumnKey()
  key?: string;

  /**
   * Previous keys of the column that requests can no longer use. They are then free for other columns.
   * Others are ignored, so that the request can be repeated.
   * @example ['dimension']
   */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', pattern: COLUMN_KEY.source },
    minItems: 1,
    maxItems: MAX_PREVIOUS_KEYS,
    uniqueItems: true,
  })
  @MayBeAbsent()
  @IsKeyList()
  releaseKeys?: string[];

  /**
   * Name for people: 1 to 200 characters after trimming.
   * @example 'Size'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  title?: string;

  /** Column type. Every stored value must be valid for it, unless `convert` is true. */
  @ApiPropertyOptional({ enum: COLUMN_TYPE_NAMES, example: 'select' })
  @MayBeAbsent()
  @IsIn(COLUMN_TYPE_NAMES, {
    message: `must be one of ${COLUMN_TYPE_NAMES.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  type?: ColumnType;

  /** Whether every row must have a value. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  required?: boolean;

  /**
   * Whether every value must be different from those of all other rows. Not supported for `json`,
   * `multiSelect`, `multiLink` and types whose values the service sets.
   */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  unique?: boolean;

  /**
   * Whether the column has an index, which makes filters and sorts by it fast. Not supported for
   * `json`, `multiSelect` and `multiLink`.
   */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  indexed?: boolean;

  /**
   * Options of the column type. Replaces all options. You cannot remove a choice that rows have, unless
   * `convert` is true. With `convert`, a change of another type to `select` or `multiSelect` without
   * `options` takes the choices from the stored values.
   */
  @ApiPropertyOptional({ example: EXAMPLE_OPTIONS })
  @MayBeAbsent()
  @IsObject({ message: 'must be an object', context: { code: 'wrong_type' } })
  options?: ColumnOptionsInputDto;

  @ApiPropertyOptional({
    ...ANY_VALUE,
    description:
      'Value of a row that is created without one; `null` for none. Rows that exist keep their values. ' +
      'A change of type or choices converts it, and is rejected if it does not convert.',
  })
  @Allow()
  defaultValue?: unknown;

  /**
   * Choices to add at the end of `options.choices`, unless they exist. Others may add choices at the
   * same time: none is lost. Together with `options`, they follow the choices there.
   * @example ['medium']
   */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_CHOICE_LENGTH },
    minItems: 1,
    maxItems: MAX_CHOICES,
    uniqueItems: true,
  })
  @MayBeAbsent()
  @IsChoices()
  addChoices?: string[];

  /**
   * Place among the columns of the datagrid, from 0. The columns from there on move back. A larger
   * number than there are columns moves the column to the end.
   * @example 0
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_POSITION })
  @MayBeAbsent()
  @IsInt(positionRule)
  @Min(0, positionRule)
  @Max(MAX_POSITION, positionRule)
  position?: number;

  /**
   * Whether to convert the stored values to the new type or choices. Values that do not convert are
   * cleared. Without it, a change that stored values conflict with is rejected.
   */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  convert?: boolean;
}

/** A new column. */
export class CreateColumnDto {
  /**
   * Name of the column in `values` of a row: a lowercase letter, then up to 62 letters, digits and
   * underscores. Unique in the datagrid.
   * @example 'size'
   */
  @ApiProperty({ pattern: COLUMN_KEY.source })
  @IsColumnKey()
  key!: string;

  @ApiProperty({ enum: COLUMN_TYPE_NAMES, description: TYPE_DESCRIPTION, example: 'select' })
  @IsIn(COLUMN_TYPE_NAMES, {
    message: `must be one of ${COLUMN_TYPE_NAMES.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  type!: ColumnType;

  /**
   * Name for people: 1 to 200 characters after trimming. The default is the key.
   * @example 'Size'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  title?: string;

  /** Whether every row must have a value. */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  required?: boolean;

  /**
   * Whether every value must be different from those of all other rows. Not supported for `json`,
   * `multiSelect`, `multiLink` and types whose values the service sets.
   */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  unique?: boolean;

  /**
   * Whether the column has an index, which makes filters and sorts by it fast. Not supported for
   * `json`, `multiSelect` and `multiLink`.
   */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  indexed?: boolean;

  /** Options of the column type. */
  @ApiPropertyOptional({ example: EXAMPLE_OPTIONS })
  @MayBeAbsent()
  @IsObject({ message: 'must be an object', context: { code: 'wrong_type' } })
  options?: ColumnOptionsInputDto;

  @ApiPropertyOptional({
    ...ANY_VALUE,
    description:
      'Value of a row that is created without one: it must be valid for the column. Not supported for ' +
      'unique columns. The default values of all columns have at most 4,096 bytes.',
  })
  @Allow()
  defaultValue?: unknown;
}
