import { ApiProperty } from '@nestjs/swagger';
import { COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { ColumnOptionsDto } from './column-options.dto';

/** How far a column's index is. */
export class ColumnIndexingDto {
  /**
   * From 0 to 1
   * @example 0.25
   */
  @ApiProperty()
  progress!: number;
}

/** A column, as the API gives it. */
export class ColumnDto {
  /**
   * The member of a row's `values`; it never changes
   * @example 'size'
   */
  @ApiProperty()
  key!: string;

  /**
   * For people; free to change
   * @example 'Size'
   */
  @ApiProperty()
  title!: string;

  /** What its values may be */
  @ApiProperty({ enum: COLUMN_TYPES, example: 'select' })
  type!: ColumnType;

  /** Whether every row must have a value. */
  @ApiProperty()
  required!: boolean;

  /** Whether no two rows may have the same value. */
  @ApiProperty()
  unique!: boolean;

  /** Whether the column is to be found and sorted by often. */
  @ApiProperty()
  indexed!: boolean;

  /** Empty for a type without options */
  @ApiProperty()
  options!: ColumnOptionsDto;

  /** While the column's index is being built: until then filters and sorts do without it. */
  @ApiProperty({ type: ColumnIndexingDto, required: false })
  indexing?: ColumnIndexingDto;
}
