import { ApiProperty } from '@nestjs/swagger';
import { COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { ColumnOptionsDto } from './column-options.dto';

/** A column, as the API gives it. */
export class ColumnDto {
  /**
   * The member of a row's `values`; it never changes
   * @example 'amount'
   */
  key!: string;

  /**
   * For people; free to change
   * @example 'Amount'
   */
  title!: string;

  @ApiProperty({ enum: COLUMN_TYPES, example: 'decimal' })
  type!: ColumnType;

  /** Whether every row must have a value. */
  required!: boolean;

  /** Whether no two rows may have the same value. */
  unique!: boolean;

  /** Whether the column is to be found and sorted by often. */
  indexed!: boolean;

  options!: ColumnOptionsDto;
}
