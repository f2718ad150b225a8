import { ApiProperty } from '@nestjs/swagger';

/** Where a walk by cursor stands; nothing is counted. */
export class CursorMetaDto {
  /**
   * Items actually given
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  pageSize!: number;

  /** The `cursor` that goes on after these items; `null` at the end */
  @ApiProperty({ type: 'string', nullable: true, example: 'Mjo6MjA' })
  nextCursor!: string | null;
}
