import { ApiPropertyOptional } from '@nestjs/swagger';

/** Settings of a column beside its type. */
export class ColumnOptionsDto {
  /**
   * What may be chosen, in the order to be shown; of `select` and `multiSelect` only, where it
   * is required: 1 to 1,000 distinct strings of 1 to 200 characters
   * @example ['small', 'large']
   */
  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: 1000, uniqueItems: true })
  choices?: string[];
}

/** The same as sent: apart, as answers may get more members and requests may not. */
export class ColumnOptionsBodyDto extends ColumnOptionsDto {}
