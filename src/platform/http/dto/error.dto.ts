import { ApiProperty } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../../../common/error/error-code';

/** What is wrong with one field. */
export class FieldErrorDto {
  /**
   * A path into the body, or the name of a parameter or header
   * @example 'rows.3.values.amount'
   */
  field!: string;

  /** @example 'wrong_type' */
  code!: string;

  /** @example 'must be a number' */
  message!: string;
}

export class ErrorContentDto {
  /** From a closed list; safe to branch on. */
  @ApiProperty({ enum: Object.keys(ERROR_STATUS) })
  code!: ErrorCode;

  /** For people; its words may change. */
  message!: string;

  /** Each place that is wrong, where that can be said. */
  details?: FieldErrorDto[];

  /** The same as in `X-Request-Id` and in the service's log. */
  requestId!: string;
}

/** Every answer from 400 up. */
export class ErrorDto {
  error!: ErrorContentDto;
}
