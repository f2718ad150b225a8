import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_VALUE, UpdateColumnDto } from './column.dto';

const VALUE = {
  ...ANY_VALUE,
  description:
    'Value of the row; `null` if it has none. Of more than 2 KiB, the first 500 characters of its text and `…`.',
  example: 'two',
} as const;

/** The change to preview: the body of the request that would change the column. */
export class ColumnPreviewRequestDto extends UpdateColumnDto {}

/** A row that conflicts with the change. */
export class ConflictingRowDto {
  /** ID of the row. */
  @ApiProperty({ type: 'integer', example: 2 })
  rowId!: number;

  @ApiProperty(VALUE)
  value!: unknown;
}

/** A row whose value the change converts. */
export class ConvertedRowDto extends ConflictingRowDto {
  /** Value after the change; `null` if the value does not convert. Shortened as `value` is. */
  @ApiProperty({ ...ANY_VALUE, example: null })
  converted!: unknown;
}

/** Effect of a change with `convert` on the values. */
export class ConversionDto {
  /** Number of rows whose value changes to another one. */
  @ApiProperty({ type: 'integer', example: 3 })
  converted!: number;

  /** Number of rows whose value does not convert, so that they have none afterwards. */
  @ApiProperty({ type: 'integer', example: 1 })
  emptied!: number;

  /** The first rows whose value changes to another one, up to 10. */
  @ApiProperty({ type: [ConvertedRowDto], example: [{ rowId: 1, value: '1', converted: 1 }] })
  convertedExamples!: ConvertedRowDto[];

  /** The first rows whose value does not convert, up to 10. */
  @ApiProperty({ type: [ConvertedRowDto] })
  emptiedExamples!: ConvertedRowDto[];
}

/** Effect of a change of a column. */
export class ColumnPreviewDto {
  /** Number of rows of the datagrid. */
  @ApiProperty({ type: 'integer', example: 4 })
  rows!: number;

  /** Number of rows that were checked: all, or those of the first 10 seconds. */
  @ApiProperty({ type: 'integer', example: 4 })
  checked!: number;

  /** Number of checked rows that conflict with the change. */
  @ApiProperty({ type: 'integer', example: 0 })
  conflicting!: number;

  /** The first rows that conflict with the change, up to 10. */
  @ApiProperty({ type: [ConflictingRowDto], example: [] })
  examples!: ConflictingRowDto[];

  /** Code of the error that the change would return. Absent if no row conflicts with it. */
  @ApiPropertyOptional({ enum: ['conflicting_rows'], example: 'conflicting_rows' })
  code?: 'conflicting_rows';

  /** Property of the change that rows conflict with. Absent if none do. */
  @ApiPropertyOptional({ enum: ['type', 'options', 'unique', 'required'], example: 'type' })
  field?: 'type' | 'options' | 'unique' | 'required';

  /** Absent if the change converts no values. */
  @ApiPropertyOptional({ type: ConversionDto })
  conversion?: ConversionDto;

  /** Choices that the change takes from the values. Absent if it takes none. */
  @ApiPropertyOptional({ type: [String], example: ['two'] })
  choices?: string[];
}
