import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ColumnDto } from '../column/dto/column.dto';

/** A datagrid, as the API gives it. */
export class DatagridDto {
  /**
   * UUIDv7, made by the service
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * The workspace it is in
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiProperty({ format: 'uuid' })
  workspaceId!: string;

  /**
   * Unique in the workspace, ignoring case
   * @example 'Airports'
   */
  @ApiProperty()
  name!: string;

  /**
   * Empty where none was given
   * @example 'One row an airport'
   */
  @ApiProperty()
  description!: string;

  /** In the order of their making */
  @ApiProperty({ type: [ColumnDto] })
  columns!: ColumnDto[];

  /**
   * Rows in it, exact
   * @example 3376
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  rowCount!: number;

  /**
   * Raised by one by every write of rows or columns
   * @example 4
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  revision!: number;

  /**
   * RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * The last change of name, description or columns: RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** A datagrid, as a list gives it. */
export class ListedDatagridDto extends OmitType(DatagridDto, ['columns'] as const) {
  /** In the order of their making; absent with `omitColumns` */
  @ApiProperty({ type: [ColumnDto], required: false })
  columns?: ColumnDto[];

  /**
   * How many columns there are; present with `omitColumns`
   * @example 5
   */
  @ApiProperty({ type: 'integer', minimum: 0, required: false })
  columnCount?: number;
}
