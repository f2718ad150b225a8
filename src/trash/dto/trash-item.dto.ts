import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TRASH_KINDS, type TrashKind } from '../trash-kind';

/** What was deleted and can be restored, as the API gives it. */
export class TrashItemDto {
  /** What it is; a workspace stands for the datagrids that went with it, too */
  @ApiProperty({ enum: TRASH_KINDS, example: 'datagrid' })
  kind!: TrashKind;

  /**
   * The id it had, and has again when it is restored
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Of a datagrid: the workspace it was in, which may be in the trash itself
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiPropertyOptional({ format: 'uuid' })
  workspaceId?: string;

  /**
   * The name it had; others may have taken it since
   * @example 'Airports'
   */
  @ApiProperty()
  name!: string;

  /**
   * RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  deletedAt!: string;

  /**
   * From then on it is purged, with nothing left: RFC 3339, UTC, milliseconds
   * @example '2026-11-28T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;
}
