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

/** Author of a change. */
export class ChangeAuthorDto {
  /**
   * ID of the user.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02'
   */
  @ApiProperty({ format: 'uuid' })
  userId!: string;

  /** ID of the user's API key. `null` for a change in the console. */
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b03',
  })
  keyId!: string | null;
}

/** A change of a datagrid. The other properties depend on `op`. */
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

  /**
   * For `schema`: the effect on the values of rows. `kept`: each column whose `id` you know keeps its values in all rows, also if its `type` or `key` has changed. `set` follows for rows whose values change. Other words can be added.
   * @example 'kept'
   */
  @ApiPropertyOptional()
  values?: string;

  /** For `schema`: all columns of the datagrid, as they are. */
  @ApiPropertyOptional({ type: [ChangedColumnDto] })
  columns?: ChangedColumnDto[];

  /**
   * With `include=author`: time of the change. Absent if the row or the columns existed when you
   * started, or if the columns precede their change. Also absent if the row was changed again while the
   * page was read. The next page then has the row again.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiPropertyOptional({ format: 'date-time' })
  changedAt?: string;

  /**
   * With `include=author`: author of the change. `null` for an operator and the service itself. Absent
   * if `changedAt` is absent.
   */
  @ApiPropertyOptional({ type: ChangeAuthorDto, nullable: true })
  changedBy?: ChangeAuthorDto | null;
}
