import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Which rows to delete. */
export class DeleteManyDto {
  /** What rows must meet, by column key, as in the list of rows; `{}` means all. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { country: 'USA', size: { $isNull: true } },
  })
  filter!: Record<string, unknown>;

  /** Where more rows match than this, none is deleted, and the answer is 409. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, example: 100 })
  maxAffected?: number;

  /** Count, and delete none. */
  @ApiPropertyOptional({ type: 'boolean', default: false })
  dryRun?: boolean;
}

/** How many rows went. */
export class DeletedDto {
  /**
   * With `dryRun`, how many would have gone
   * @example 12
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  deleted!: number;
}
