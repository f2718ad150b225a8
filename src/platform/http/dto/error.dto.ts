import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ERROR_STATUS, type ErrorCode } from '../../../common/error/app-error';

/** One invalid field of a request. */
export class FieldErrorDto {
  /**
   * Path into the body, or name of a parameter or header. Shortened after 200 characters.
   * @example 'rows.3.values.amount'
   */
  field!: string;

  /**
   * Detail code, such as `wrong_type`. Use it to tell problems apart.
   * @example 'wrong_type'
   */
  code!: string;

  /**
   * Explanation for people. The text can change.
   * @example 'must be a number'
   */
  message!: string;
}

/** Content of an error response. */
export class ErrorContentDto {
  /** Error code from a closed list. Use it to tell errors apart. */
  @ApiProperty({ enum: Object.keys(ERROR_STATUS), example: 'invalid_request' })
  code!: ErrorCode;

  /**
   * Explanation for people. The text can change.
   * @example 'rows.3.values.amount: must be a number'
   */
  @ApiProperty()
  message!: string;

  /** Invalid fields, up to 100. Absent if the error does not concern fields. */
  @ApiPropertyOptional({ type: [FieldErrorDto], maxItems: 100 })
  details?: FieldErrorDto[];

  /**
   * ID of the request, as in `X-Request-Id`. The service writes it to its log.
   * @example '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10'
   */
  @ApiProperty()
  requestId!: string;
}

/** Body of every error response. */
export class ErrorDto {
  /** The error. */
  error!: ErrorContentDto;
}
