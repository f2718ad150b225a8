import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../../../common/error/error-code';

/** What is wrong with one field. */
export class FieldErrorDto {
  /**
   * A path into the body, or the name of a parameter or header; cut after 200 characters
   * @example 'rows.3.values.amount'
   */
  field!: string;

  /**
   * What is wrong, for programs
   * @example 'wrong_type'
   */
  code!: string;

  /**
   * What would be accepted, for people
   * @example 'must be a number'
   */
  message!: string;
}

export class ErrorContentDto {
  /** From a closed list; safe to branch on. */
  @ApiProperty({ enum: Object.keys(ERROR_STATUS), example: 'invalid_request' })
  code!: ErrorCode;

  /**
   * For people; its words may change.
   * @example 'rows.3.values.amount: must be a number'
   */
  @ApiProperty()
  message!: string;

  /** Each place that is wrong, where that can be said: the first 100 of them. */
  @ApiPropertyOptional({ type: [FieldErrorDto], maxItems: 100 })
  details?: FieldErrorDto[];

  /**
   * The same as in `X-Request-Id` and in the service's log.
   * @example '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10'
   */
  @ApiProperty()
  requestId!: string;
}

/** Every answer from 400 up. */
export class ErrorDto {
  error!: ErrorContentDto;
}
