import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { isUuid } from '../../common/text/id';
import { MayBeAbsent } from '../../common/validation/text-rules';
import { EVENT_TYPES } from '../event-type';

/** One attempt to deliver an event. */
export class DeliveryDto {
  /**
   * ID of the attempt. Later attempts have greater ids.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b15'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * `webhook-id` of the event, the same for each of its attempts.
   * @example 'msg_019aa2f45c1e7c1a9d530a4c6f0f7b15'
   */
  @ApiProperty()
  messageId!: string;

  /** Type of the event. */
  @ApiProperty({ enum: EVENT_TYPES, example: 'rows.created' })
  type!: string;

  /** Datagrid that has changed. `null` for a test event. */
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12',
  })
  datagridId!: string | null;

  /** Revision of the datagrid after the changes. `null` for a test event. */
  @ApiProperty({ type: 'integer', format: 'int64', nullable: true, example: 4 })
  revision!: number | null;

  /**
   * Number of the attempt, from 1. It begins at 1 again for the same event if the webhook was disabled
   * and enabled, or its URL was set.
   */
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  attempt!: number;

  /**
   * Time of the attempt.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  at!: string;

  /**
   * Duration in milliseconds.
   * @example 38
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  durationMs!: number;

  /** Status of the response. `null` if there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 204 })
  status!: number | null;

  /** Reason of the failure, in words. `null` if the event was delivered. The text can change. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error!: string | null;

  /**
   * Beginning of the body that was sent.
   * @example '{"type":"rows.created","timestamp":"2026-11-21T09:30:00.000Z","data":{'
   */
  @ApiProperty()
  request!: string;

  /**
   * Beginning of the body of the response.
   * @example ''
   */
  @ApiProperty()
  response!: string;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const SINCE_MESSAGE = 'must be a time by RFC 3339, such as 2026-11-21T09:30:00Z';
const DATAGRID_MESSAGE = 'must be the id of a datagrid';

/** What to send again. */
export class ReplayDto {
  /**
   * Time since which changes are sent again. At most `CHANGE_RETENTION_DAYS` ago, by default 7.
   * @example '2026-11-21T09:30:00Z'
   */
  @ApiProperty({ format: 'date-time' })
  @ValidateBy(
    {
      name: 'since',
      validator: {
        validate: (value) =>
          typeof value === 'string' && RFC3339.test(value) && !Number.isNaN(Date.parse(value)),
        defaultMessage: () => SINCE_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  )
  since!: string;

  /** Datagrid whose changes are sent again. Default: all datagrids of the webhook. */
  @ApiPropertyOptional({ format: 'uuid' })
  @MayBeAbsent()
  @ValidateBy(
    {
      name: 'datagridId',
      validator: {
        validate: (value) => typeof value === 'string' && isUuid(value),
        defaultMessage: () => DATAGRID_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  )
  datagridId?: string;
}

/** Result of a replay. */
export class ReplayResultDto {
  /**
   * Number of datagrids with changes that are sent again.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  datagrids!: number;
}
