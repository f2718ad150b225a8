import {
  ApiProperty,
  ApiPropertyOptional,
  IntersectionType,
  PartialType,
  PickType,
} from '@nestjs/swagger';
import type { JsonResponse } from '../../common/envelope/json-response';
import { DatagridDto } from '../../datagrids/dto/datagrid.dto';
import { WorkspaceDto } from '../../workspaces/dto/workspace.dto';

/** Kinds of objects that go to the trash. */
const TRASH_KINDS = ['workspace', 'datagrid'] as const;

export type TrashKind = (typeof TRASH_KINDS)[number];

/** A deleted workspace or datagrid that can be restored. */
export class TrashItemDto {
  /** Kind of object. A workspace includes the datagrids that were deleted with it. */
  @ApiProperty({ enum: TRASH_KINDS, example: 'datagrid' })
  kind!: TrashKind;

  /**
   * ID of the workspace or datagrid. It stays the same when the item is restored.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the workspace of a datagrid. The workspace can be in the trash, too. Absent for workspaces.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiPropertyOptional({ format: 'uuid' })
  workspaceId?: string;

  /**
   * Name at the time of deletion. Another object may have taken it since.
   * @example 'Airports'
   */
  @ApiProperty()
  name!: string;

  /**
   * Time at which the item was deleted.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  deletedAt!: string;

  /**
   * Time after which the item is purged. A purged item cannot be restored.
   * @example '2026-11-28T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;
}

/** A restored workspace or datagrid: one schema for both, because some generated clients merge several. */
export class RestoredItemDto extends IntersectionType(
  WorkspaceDto,
  PartialType(
    PickType(DatagridDto, ['workspaceId', 'history', 'columns', 'rowCount', 'revision'] as const),
  ),
) {
  /**
   * ID of the workspace or datagrid.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  override id!: string;

  /**
   * Name of the workspace or datagrid.
   * @example 'Airports'
   */
  @ApiProperty()
  override name!: string;

  /**
   * Time at which the workspace or datagrid was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  override createdAt!: string;

  /**
   * Time at which the name, the description or a column last changed.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  override updatedAt!: string;
}

/** Types of restored objects, by kind. */
export const RESTORED = { datagrid: DatagridDto, workspace: WorkspaceDto };

/** A restored object, as services return it: a datagrid is serialized JSON. */
export type Restored = JsonResponse<WorkspaceDto> | JsonResponse<DatagridDto>;
