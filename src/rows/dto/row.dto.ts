import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';

/** A row, as returned by the API. */
export class RowDto {
  /**
   * ID of the row. Counts from 1 in each datagrid and is never reused.
   * @example 1
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 })
  id!: number;

  /** Values by column key. Columns without a value are absent. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { iata: 'ZRH', name: 'Zurich', size: 'large' },
  })
  values!: Record<string, unknown>;

  /**
   * Revision of the datagrid at the last write of this row.
   * @example 4
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  revision!: number;

  /**
   * Time at which the row was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time at which the row last changed. To keep a copy in sync, read `GET …/changes` instead of polling by
   * this time: a poll does not see deleted rows.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** A row, as returned when it is created. */
export class CreatedRowDto extends OmitType(RowDto, ['values']) {
  /** Values by column key. Columns without a value are absent. Absent with `Prefer: return=minimal`. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { iata: 'ZRH', name: 'Zurich', size: 'large' },
  })
  values?: Record<string, unknown>;
}

/** The values of one row. */
export class RowInputDto {
  /** Values by column key. `null` means no value. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { iata: 'ZRH', name: 'Zurich', size: 'large' },
  })
  values!: Record<string, unknown>;
}

/** Up to 1,000 new rows, created all or none. */
export class RowListInputDto {
  /** Rows, in the order in which they get their IDs. */
  @ApiProperty({ type: [RowInputDto], minItems: 1, maxItems: 1000 })
  rows!: RowInputDto[];
}
