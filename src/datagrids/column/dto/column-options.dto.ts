import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  COLUMN_KEY,
  MAX_CHOICE_LENGTH,
  MAX_CHOICES,
  MAX_START,
} from '../../column-type/column-options';
import { DELETE_POLICIES, type DeletePolicy } from '../../column-type/descriptor';

/** Options of the type `select`, as in the examples of columns. */
export const EXAMPLE_OPTIONS = { choices: ['small', 'large'] };

/** Options of a column type in a request. */
export class ColumnOptionsInputDto {
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
   * datagrid itself. For `count`: the datagrid whose rows are counted. Required for these types, and not
   * allowed for others. Cannot change.
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
   * For `text` and `email` only: whether values that differ only in case are equal, in filters, sorts,
   * groups and `unique`. Values keep their case. `false` if absent.
   */
  @ApiPropertyOptional({ type: Boolean })
  ignoreCase?: boolean;

  /**
   * First number of an `autonumber` column, 1 if absent. Not allowed for other types. Cannot change.
   * @example 1000
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_START })
  start?: number;

  /**
   * For `lookup` only, and required: key of the `link` or `multiLink` column of this datagrid to follow.
   * Cannot change.
   */
  @ApiPropertyOptional({ type: String, pattern: COLUMN_KEY.source })
  link?: string;

  /**
   * For `lookup`: key of the column of the linked datagrid whose values to return. For `count`: key of
   * the `link` or `multiLink` column of `datagridId` that links to this datagrid. Required for these
   * types, and not allowed for others. Cannot change.
   */
  @ApiPropertyOptional({ type: String, pattern: COLUMN_KEY.source })
  column?: string;
}

/** Options of a column type. A separate schema, because only responses allow new properties. */
export class ColumnOptionsDto extends ColumnOptionsInputDto {
  /**
   * Whether a column that a `lookup` or `count` column reads was removed, so that the column has no
   * values. Absent if not.
   */
  @ApiProperty({ type: Boolean, required: false })
  broken?: boolean;
}
