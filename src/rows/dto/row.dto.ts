import { ApiProperty, OmitType } from '@nestjs/swagger';

/** A row, as the API gives it. */
export class RowDto {
  /**
   * Unique in its datagrid, never used again
   * @example 1
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 })
  id!: number;

  /** By column key; a column without a value is absent. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { iata: 'ZRH', name: 'Zurich', size: 'large' },
  })
  values!: Record<string, unknown>;

  /**
   * The datagrid's revision at this row's last write
   * @example 4
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  revision!: number;

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

/** A row without its values, as `Prefer: return=minimal` returns it. */
export class MinimalRowDto extends OmitType(RowDto, ['values']) {}
