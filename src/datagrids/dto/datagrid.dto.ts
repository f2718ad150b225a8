import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsBoolean, ValidateNested } from 'class-validator';
import { conflict } from '../../common/error/app-error';
import { IsDescription, IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { onDuplicate } from '../../platform/database/database-error';
import { HIGHEST_MAX_COLUMNS } from '../../platform/config/setting-types';
import { ColumnDto, CreateColumnDto } from '../column/dto/column.dto';

/** A datagrid, as returned by the API. */
export class DatagridDto {
  /**
   * ID of the datagrid: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the workspace that contains the datagrid.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiProperty({ format: 'uuid' })
  workspaceId!: string;

  /**
   * Name. Unique in the workspace, ignoring case.
   * @example 'Airports'
   */
  @ApiProperty()
  name!: string;

  /**
   * Description. `""` if not set.
   * @example 'One row for each airport'
   */
  @ApiProperty()
  description!: string;

  /** Whether updates and deletions store the earlier versions of rows. */
  @ApiProperty({ type: Boolean })
  history!: boolean;

  /** Columns, in the order in which they were created. */
  @ApiProperty({ type: [ColumnDto] })
  columns!: ColumnDto[];

  /**
   * Exact number of rows.
   * @example 3376
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  rowCount!: number;

  /**
   * Revision. Starts at 0; every request that changes rows or columns raises it, as do deletion and restore.
   * @example 4
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  revision!: number;

  /**
   * Time at which the datagrid was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time at which the name, the description or a column last changed.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** A datagrid, as returned in lists. */
export class ListedDatagridDto extends OmitType(DatagridDto, ['columns'] as const) {
  /** Columns, in the order in which they were created. Absent with `omitColumns=true`. */
  @ApiProperty({ type: [ColumnDto], required: false })
  columns?: ColumnDto[];

  /**
   * Number of columns. Present only with `omitColumns=true`, in place of `columns`.
   * @example 5
   */
  @ApiProperty({ type: 'integer', minimum: 0, required: false })
  columnCount?: number;
}

const CREATE_COLUMNS_EXAMPLE = [
  { key: 'iata', type: 'text', title: 'IATA code', required: true, unique: true },
  { key: 'name', type: 'text', title: 'Name' },
  { key: 'size', type: 'select', title: 'Size', options: { choices: ['small', 'large'] } },
  { key: 'country', type: 'text', title: 'Country', indexed: true },
  { key: 'latitude', type: 'number', title: 'Latitude' },
];

/** A new datagrid. */
export class CreateDatagridDto {
  /**
   * Name: 1 to 200 characters after trimming. Unique in the workspace, ignoring case.
   * @example 'Airports'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /**
   * Description of up to 2,000 characters.
   * @example 'One row for each airport'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;

  /**
   * Whether earlier versions of rows are stored from now on. Stored versions are kept when it is
   * switched off, until they expire.
   */
  @ApiPropertyOptional({ type: Boolean, default: false })
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  history?: boolean;

  /** Has no effect: the service no longer indexes columns by itself. */
  @ApiPropertyOptional({ type: Boolean, deprecated: true })
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  automaticIndexes?: boolean;

  /** Columns, in the order to be shown. By default, a datagrid can have up to 500 columns. */
  @ApiPropertyOptional({
    type: [CreateColumnDto],
    maxItems: HIGHEST_MAX_COLUMNS,
    example: CREATE_COLUMNS_EXAMPLE,
  })
  @MayBeAbsent()
  @IsArray({ message: 'must be an array of columns', context: { code: 'wrong_type' } })
  @ValidateNested({ message: 'must be a column', context: { code: 'wrong_type' } })
  @Type(() => CreateColumnDto)
  columns?: CreateColumnDto[];
}

/** Changes to a datagrid. Absent properties keep their values. */
export class UpdateDatagridDto {
  /**
   * Name: 1 to 200 characters after trimming. Unique in the workspace, ignoring case.
   * @example 'Airports'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  name?: string;

  /**
   * Description of up to 2,000 characters.
   * @example 'One row for each airport'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;

  /**
   * Whether earlier versions of rows are stored from now on. Stored versions are kept when it is
   * switched off, until they expire.
   */
  @ApiPropertyOptional({ type: Boolean })
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  history?: boolean;

  /** Has no effect: the service no longer indexes columns by itself. */
  @ApiPropertyOptional({ type: Boolean, deprecated: true })
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  automaticIndexes?: boolean;
}

/**
 * Runs `work`.
 * @throws AppError `conflict` if two datagrids outside the trash would have one name.
 */
export function withFreeDatagridName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is already used by another datagrid in this workspace';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('datagrids_name', taken, work);
}
