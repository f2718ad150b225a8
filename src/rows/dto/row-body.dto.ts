import { ApiProperty } from '@nestjs/swagger';

/** The values of one row. */
export class RowBodyDto {
  /** By column key; `null` means no value. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { iata: 'ZRH', name: 'Zurich', size: 'large' },
  })
  values!: Record<string, unknown>;
}

/** Up to 1,000 rows, created all or none. */
export class RowBodiesDto {
  /** In the order in which they get their ids. */
  @ApiProperty({ type: [RowBodyDto], minItems: 1, maxItems: 1000 })
  rows!: RowBodyDto[];
}
