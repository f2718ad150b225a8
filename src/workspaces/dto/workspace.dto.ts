import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { conflict } from '../../common/error/app-error';
import { IsDescription, IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { onDuplicate } from '../../platform/database/database-error';

/** A workspace, as returned by the API. */
export class WorkspaceDto {
  /**
   * ID of the workspace: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Name. Unique in the account, ignoring case.
   * @example 'Logistics'
   */
  @ApiProperty()
  name!: string;

  /**
   * Description. `""` if not set.
   * @example 'Everything that flies'
   */
  @ApiProperty()
  description!: string;

  /**
   * Time at which the workspace was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time at which the name or the description last changed.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** Changes to a workspace. Absent properties keep their values. */
export class UpdateWorkspaceDto {
  /**
   * Name: 1 to 200 characters after trimming. Unique in the account, ignoring case.
   * @example 'Logistics'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  name?: string;

  /**
   * Description of up to 2,000 characters.
   * @example 'Everything that flies'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;
}

/** A new workspace. */
export class CreateWorkspaceDto {
  /**
   * Name: 1 to 200 characters after trimming. Unique in the account, ignoring case.
   * @example 'Logistics'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /**
   * Description of up to 2,000 characters.
   * @example 'Everything that flies'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;
}

/**
 * Runs `work`.
 * @throws AppError `conflict` if two workspaces outside the trash would have one name.
 */
export function withFreeWorkspaceName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is already used by another workspace in this account';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('workspaces_name', taken, work);
}
