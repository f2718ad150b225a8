import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  Allow,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { notFound } from '../../../common/error/app-error';
import { codePointLength } from '../../../common/text/id';
import { isListOf } from '../../../common/validation/list-rules';
import { IsName, MayBeAbsent } from '../../../common/validation/text-rules';
import { PathParameter } from '../../../platform/http/path-id';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { MAX_CHOICE_LENGTH, MAX_CHOICES, MAX_START } from '../../column-type/column-options';
import { DELETE_POLICIES, type DeletePolicy } from '../../column-type/descriptor';
import type { StoredDefault } from '../datagrid-column.entity';

const TYPE_DESCRIPTION = `Column type. It determines which values the column can have: ${COLUMN_TYPE_NAMES.map(
  (type) => `\`${type}\` (${COLUMN_TYPES[type].description})`,
).join(', ')}.`;

/** Options of the type `select`, as in the examples of columns. */
const EXAMPLE_OPTIONS = { choices: ['small', 'large'] };

/** Options of a column type. */
class ColumnOptionsDto {
  /**
   * Choices of a `select` or `multiSelect` column, in the order to be shown: 1 to 1,000 different
   * strings of 1 to 200 characters. Required for these types, and not allowed for others.
   * @example ['small', 'large']
   */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_CHOICE_LENGTH },
    minItems: 1,
    maxItems: MAX_CHOICES,
    uniqueItems: true,
  })
  choices?: string[];

  /**
   * Datagrid whose rows a `link` or `multiLink` column links to: one of the same workspace, or the
   * datagrid itself. Required for these types, and not allowed for others. Cannot change.
   */
  @ApiPropertyOptional({ format: 'uuid' })
  datagridId?: string;

  @ApiPropertyOptional({
    enum: DELETE_POLICIES,
    description:
      'For `link` and `multiLink` only: the policy for deletions of rows that others link to. With ' +
      '`restrict`, the default, the deletion is rejected. With `clear`, the links are removed. With ' +
      '`cascade`, the rows with the links are deleted, too.',
  })
  onDelete?: DeletePolicy;

  /**
   * First number of an `autonumber` column. Not allowed for other types. Cannot change.
   * @example 1000
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_START, default: 1 })
  start?: number;
}

/** The same options in a request. A separate schema, because only responses allow new properties. */
class ColumnOptionsInputDto extends ColumnOptionsDto {}

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

/** A column, as returned by the API. */
export class ColumnDto {
  /**
   * Name of the column in `values` of a row. Never changes.
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

  @ApiPropertyOptional({
    ...ANY_VALUE,
    description: 'Value of a row that is created without one. Absent if there is none.',
  })
  defaultValue?: StoredDefault;

  /**
   * Whether the service keeps an index of its own, because queries often filter or sort by the column.
   * Absent if it does not.
   */
  @ApiProperty({ type: Boolean, required: false })
  automaticIndex?: boolean;

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

/** Changes to a column. Absent properties keep their values. The key cannot change. */
export class UpdateColumnDto {
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

export const MAX_KEY_LENGTH = 63;

/** A lowercase letter, then up to 62 letters, digits and underscores. */
export const COLUMN_KEY = /^[a-z][a-zA-Z0-9_]{0,62}$/;

/** Validates a column key. */
export const IsColumnKey = (): PropertyDecorator =>
  Matches(COLUMN_KEY, {
    message: 'must be a lowercase letter followed by up to 62 letters, digits or underscores',
    context: { code: 'invalid_format' },
  });

/** A malformed key returns 404, as an unknown key does. */
function readColumnKey(text: string): string {
  if (!COLUMN_KEY.test(text)) throw notFound('Column');
  return text;
}

export const ColumnKey = (): ParameterDecorator =>
  PathParameter('key', readColumnKey, { type: 'string', pattern: COLUMN_KEY.source });

/** A new column. */
export class CreateColumnDto {
  /**
   * Name of the column in `values` of a row: a lowercase letter, then up to 62 letters, digits and
   * underscores. Unique in the datagrid. Cannot change.
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
