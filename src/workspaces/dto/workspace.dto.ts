import { ApiProperty } from '@nestjs/swagger';

/** A workspace, as the API gives it. */
export class WorkspaceDto {
  /**
   * UUIDv7, made by the service
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Unique in the account, ignoring case
   * @example 'Logistics'
   */
  @ApiProperty()
  name!: string;

  /**
   * Empty where none was given
   * @example 'Everything that flies'
   */
  @ApiProperty()
  description!: string;

  /**
   * RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}
