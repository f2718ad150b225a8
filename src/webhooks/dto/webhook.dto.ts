import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsBoolean, IsIn, ValidateBy } from 'class-validator';
import { IsIdsOrNull, isListOf } from '../../common/validation/list-rules';
import { IsDescription, MayBeAbsent } from '../../common/validation/text-rules';
import { SUBSCRIBED_TYPES, type SubscribedType } from '../event-type';
import { DISABLED_REASONS, type DisabledReason, PAYLOADS, type Payload } from '../webhook.entity';

const MAX_URL_LENGTH = 2_000;
/** Maximum number of datagrids that a webhook can name. */
const MAX_DATAGRIDS = 1_000;

const WEBHOOK_STATUSES = ['active', 'failing', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

const URL_MESSAGE = `must be a URL of up to ${String(MAX_URL_LENGTH)} characters`;

/** Maximum length of a label, and of a host name. */
const MAX_LABEL_LENGTH = 63;
const MAX_HOST_LENGTH = 253;

/**
 * Returns whether a text is a URL as it stands, with a host name that can exist. The parser ignores
 * white space and control characters, repairs slashes, and encodes other characters, which makes the
 * URL longer.
 */
function isUrl(text: string): boolean {
  if (/[\s\p{Cc}\\]|^https?:(?!\/\/[^/])/iu.test(text) || !URL.canParse(text)) return false;
  const { href, hostname } = new URL(text);
  const host = hostname.replace(/\.$/, '');
  const labels = host.startsWith('[') ? [] : host.split('.');
  return (
    href.length <= MAX_URL_LENGTH &&
    host.length <= MAX_HOST_LENGTH &&
    labels.every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)
  );
}

const EVENTS_MESSAGE = `must be a list without duplicates of: ${SUBSCRIBED_TYPES.join(', ')}`;
const NO_EVENTS_MESSAGE = `must have at least one of: ${SUBSCRIBED_TYPES.join(', ')}; to send no events, set enabled to false`;

const IsUrlText = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'urlText',
      validator: {
        validate: (value) =>
          typeof value === 'string' && value.length <= MAX_URL_LENGTH && isUrl(value),
        defaultMessage: () => URL_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  );

const IsEvents = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'events',
      validator: {
        validate: (value) => isListOf(value, (item) => SUBSCRIBED_TYPES.includes(item as never)),
        defaultMessage: (given) =>
          Array.isArray(given?.value) && given.value.length === 0
            ? NO_EVENTS_MESSAGE
            : EVENTS_MESSAGE,
      },
    },
    { context: { code: 'not_a_choice' } },
  );

const IsDatagridIds = (): PropertyDecorator => IsIdsOrNull('datagrids', MAX_DATAGRIDS);

const IsFilter = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'filter',
      validator: {
        validate: (value) => typeof value === 'object' && !Array.isArray(value),
        defaultMessage: () => 'must be null or a JSON object',
      },
    },
    { context: { code: 'wrong_type' } },
  );

const IsPayload = (): PropertyDecorator =>
  IsIn(PAYLOADS, { message: 'must be "full" or "thin"', context: { code: 'not_a_choice' } });

const IsEnabled = (): PropertyDecorator =>
  IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } });

const FILTER = {
  type: 'object',
  additionalProperties: true,
  nullable: true,
  example: null,
} as const;

const DATAGRID_IDS = {
  type: 'array',
  items: { type: 'string', format: 'uuid' },
  nullable: true,
} as const;
const SELECTED_IDS = {
  ...DATAGRID_IDS,
  minItems: 1,
  maxItems: MAX_DATAGRIDS,
  uniqueItems: true,
} as const;

const EVENTS: ApiPropertyOptions = {
  enum: SUBSCRIBED_TYPES,
  isArray: true,
  minItems: 1,
  maxItems: SUBSCRIBED_TYPES.length,
  uniqueItems: true,
  example: ['rows.created'],
};

/** A webhook, as returned by the API. */
export class WebhookDto {
  /**
   * ID of the webhook: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b14'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the workspace whose changes the webhook sends.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiProperty({ format: 'uuid' })
  workspaceId!: string;

  /**
   * URL of the endpoint that receives the events.
   * @example 'https://hooks.example/datagrid'
   */
  @ApiProperty()
  url!: string;

  /**
   * Description. `""` if not set.
   * @example 'Updates the search index'
   */
  @ApiProperty()
  description!: string;

  /** Types of events that are sent. `changes.gap` is sent in any case. */
  @ApiProperty({ enum: SUBSCRIBED_TYPES, isArray: true, example: ['rows.created'] })
  events!: SubscribedType[];

  /** Datagrids whose changes are sent. `null`: all of the workspace, also future ones. */
  @ApiProperty({ ...DATAGRID_IDS, example: null })
  datagridIds!: string[] | null;

  /**
   * Conditions that created and updated rows must meet, with the present keys of columns. A removed
   * column is named by its key, `~` and a number. `null`: all rows are sent.
   */
  @ApiProperty(FILTER)
  filter!: Readonly<Record<string, unknown>> | null;

  /** `full`: events contain the rows. `thin`: only their ids. */
  @ApiProperty({ enum: PAYLOADS })
  payload!: Payload;

  /** Whether events are sent. Changes of the time in which it is `false` are sent afterwards. */
  @ApiProperty()
  enabled!: boolean;

  /**
   * Health: `active`, `failing` as long as an event of any datagrid is repeated, or `disabled` if
   * `enabled` is `false`. Test events do not change it.
   */
  @ApiProperty({ enum: WEBHOOK_STATUSES, example: 'active' })
  status!: WebhookStatus;

  /**
   * Reason for which the webhook is disabled: a `user` disabled it, the endpoint responded with the
   * status 410, deliveries failed for 5 days (`failing`), the `filter` is no longer valid for the
   * columns, or an `operator` of the service disabled it. `null` if it is enabled.
   */
  @ApiProperty({ enum: [...DISABLED_REASONS, null], type: String, nullable: true, example: null })
  disabledReason!: DisabledReason | null;

  /** Time of the last successful delivery. Can be up to 10 seconds too early. */
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-21T09:30:00.000Z',
  })
  lastSuccessAt!: string | null;

  /** Time of the last failed delivery. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  lastErrorAt!: string | null;

  /** Reason of the last failure, in words. The text can change. */
  @ApiProperty({ type: String, nullable: true, example: null })
  lastError!: string | null;

  /**
   * Failed attempts of the event that is repeated; if several datagrids have one, the highest number.
   * 0 if no event is repeated.
   * @example 0
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  consecutiveFailures!: number;

  /** Time of the oldest change whose event was tried and is not delivered. `null`: there is none. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  oldestUndeliveredAt!: string | null;

  /**
   * Time at which the webhook was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time of the last change other than of the health.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** A webhook with its secret. */
export class WebhookWithSecretDto extends WebhookDto {
  /**
   * Secret that verifies the signatures. Returned only here. Store it where the endpoint can read it.
   * `null` if the response is repeated for an `Idempotency-Key`, because secrets are not stored in
   * responses.
   * @example 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
   */
  @ApiProperty({ type: String, nullable: true })
  secret!: string | null;
}

/** Changes to a webhook. Absent properties keep their values. */
export class UpdateWebhookDto {
  /**
   * URL of the endpoint. HTTPS only. It must not contain credentials or a fragment, or lead to
   * a private address.
   * @example 'https://hooks.example/datagrid'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_URL_LENGTH })
  @MayBeAbsent()
  @IsUrlText()
  url?: string;

  /**
   * Description of up to 2,000 characters.
   * @example 'Updates the search index'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;

  /** Types of events to send. */
  @ApiPropertyOptional(EVENTS)
  @MayBeAbsent()
  @IsEvents()
  events?: SubscribedType[];

  /** Datagrids whose changes to send, or `null` for all of the workspace. */
  @ApiPropertyOptional({ ...SELECTED_IDS, example: null })
  @MayBeAbsent()
  @IsDatagridIds()
  datagridIds?: string[] | null;

  /**
   * Conditions that created and updated rows must meet, as for a query of rows, or `null`. Requires
   * `datagridIds` with exactly one datagrid.
   */
  @ApiPropertyOptional(FILTER)
  @MayBeAbsent()
  @IsFilter()
  filter?: Readonly<Record<string, unknown>> | null;

  /** `full`: events contain the rows. `thin`: only their ids. */
  @ApiPropertyOptional({ enum: PAYLOADS })
  @MayBeAbsent()
  @IsPayload()
  payload?: Payload;

  /** Whether to send events. `true` resumes a disabled webhook where it stopped. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsEnabled()
  enabled?: boolean;
}

/** A new webhook. */
export class CreateWebhookDto {
  /**
   * URL of the endpoint. HTTPS only. It must not contain credentials or a fragment, or lead to
   * a private address.
   * @example 'https://hooks.example/datagrid'
   */
  @ApiProperty({ minLength: 1, maxLength: MAX_URL_LENGTH })
  @IsUrlText()
  url!: string;

  /**
   * Description of up to 2,000 characters.
   * @example 'Updates the search index'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;

  /** Types of events to send. Default: all. */
  @ApiPropertyOptional(EVENTS)
  @MayBeAbsent()
  @IsEvents()
  events?: SubscribedType[];

  /** Datagrids whose changes to send. Default: `null`, all of the workspace, also future ones. */
  @ApiPropertyOptional({ ...SELECTED_IDS, example: null })
  @MayBeAbsent()
  @IsDatagridIds()
  datagridIds?: string[] | null;

  /**
   * Conditions that created and updated rows must meet, as for a query of rows, or `null`. Requires
   * `datagridIds` with exactly one datagrid.
   */
  @ApiPropertyOptional(FILTER)
  @MayBeAbsent()
  @IsFilter()
  filter?: Readonly<Record<string, unknown>> | null;

  /** `full` (default): events contain the rows. `thin`: only their ids. */
  @ApiPropertyOptional({ enum: PAYLOADS, default: 'full' })
  @MayBeAbsent()
  @IsPayload()
  payload?: Payload;

  /** Whether to send events. */
  @ApiPropertyOptional({ default: true })
  @MayBeAbsent()
  @IsEnabled()
  enabled?: boolean;
}
