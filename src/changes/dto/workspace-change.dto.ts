import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { DatagridDto } from '../../datagrids/dto/datagrid.dto';

/** A datagrid in the feed of its workspace. */
export class ChangedDatagridDto extends OmitType(DatagridDto, [
  'history',
  'workspaceId',
  'description',
  'columns',
] as const) {}

/** A change of a workspace. The other properties depend on `op`. */
export class WorkspaceChangeDto {
  /**
   * `set`: the datagrid was created, changed or restored, or existed when you started. `delete`: the datagrid is in the trash.
   * @example 'set'
   */
  @ApiProperty({ enum: ['set', 'delete'] })
  op!: string;

  /** For `set`: the datagrid as it is. */
  @ApiPropertyOptional({ type: ChangedDatagridDto })
  datagrid?: ChangedDatagridDto;

  /**
   * For `delete`: ID of the datagrid.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiPropertyOptional({ format: 'uuid' })
  id?: string;
}
