import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ColumnDto } from '../../datagrids/column/dto/column.dto';
import { RowDto } from '../../rows/dto/row.dto';

/** A column, with an ID. */
export class ChangedColumnDto extends OmitType(ColumnDto, ['indexing']) {
  /**
   * ID of the column. Counts from 1 in each datagrid and is never reused: a new column with the key of a removed one has another ID.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  id!: number;
}

/** A change of a datagrid. `op` says which one; other properties depend on it. */
export class ChangeDto {
  /**
   * `set`: the row was created or changed, or existed when you started. `delete`: the row was deleted. `schema`: the columns have changed.
   * @example 'set'
   */
  @ApiProperty({ enum: ['set', 'delete', 'schema'] })
  op!: string;

  /** For `set`: the row as it is. */
  @ApiPropertyOptional({ type: RowDto })
  row?: RowDto;

  /**
   * For `delete`: ID of the row.
   * @example 1
   */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 1 })
  id?: number;

  /**
   * For `delete` and `schema`: revision of the datagrid after the change.
   * @example 5
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  revision?: number;

  /** For `schema`: all columns of the datagrid, as they are. */
  @ApiPropertyOptional({ type: [ChangedColumnDto] })
  columns?: ChangedColumnDto[];
}
