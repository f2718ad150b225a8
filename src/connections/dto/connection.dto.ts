import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, ValidateBy } from 'class-validator';
import { codePointLength, isUuid } from '../../common/text/id';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { DESTINATION_TYPES, type DestinationType } from '../../destinations/destination';
import { DELETION_MODES, type DeletionMode } from '../../destinations/destination';

/** Maximum number of datagrids that a connection can name. */
const MAX_DATAGRIDS = 1_000;
const MAX_SECRET_LENGTH = 10_000;
const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 604_800;

const CONNECTION_STATUSES = ['active', 'failing', 'paused'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

const DATAGRIDS_MESSAGE = `must be null or a list of up to ${String(MAX_DATAGRIDS)} ids of datagrids, without duplicates`;
const SECRET_MESSAGE = `must be null or a string of 1 to ${String(MAX_SECRET_LENGTH)} characters`;
const INTERVAL_MESSAGE = `must be null or an integer from ${String(MIN_INTERVAL_SECONDS)} to ${String(MAX_INTERVAL_SECONDS)}`;

const IsDestinationType = (): PropertyDecorator =>
  IsIn(DESTINATION_TYPES, {
    message: `must be one of: ${DESTINATION_TYPES.join(', ')}`,
    context: { code: 'not_a_choice' },
  });

const IsSettings = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'settings',
      validator: {
        validate: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: () => 'must be a JSON object',
      },
    },
    { context: { code: 'wrong_type' } },
  );

const IsSecret = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'secret',
      validator: {
        validate: (value) =>
          value === null ||
          (typeof value === 'string' &&
            value !== '' &&
            codePointLength(value) <= MAX_SECRET_LENGTH),
        defaultMessage: () => SECRET_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  );

const IsDatagridIds = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'datagridIds',
      validator: {
        validate: (value) =>
          value === null ||
          (Array.isArray(value) &&
            value.length <= MAX_DATAGRIDS &&
            value.every((id) => typeof id === 'string' && isUuid(id)) &&
            new Set(value.map((id) => String(id).toLowerCase())).size === value.length),
        defaultMessage: () => DATAGRIDS_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  );

const IsDeletions = (): PropertyDecorator =>
  IsIn(DELETION_MODES, {
    message: `must be one of: ${DELETION_MODES.join(', ')}`,
    context: { code: 'not_a_choice' },
  });

const IsInterval = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'intervalSeconds',
      validator: {
        validate: (value) =>
          value === null ||
          (Number.isInteger(value) &&
            Number(value) >= MIN_INTERVAL_SECONDS &&
            Number(value) <= MAX_INTERVAL_SECONDS),
        defaultMessage: () => INTERVAL_MESSAGE,
      },
    },
    { context: { code: 'out_of_range' } },
  );

const IsEnabled = (): PropertyDecorator =>
  IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } });

const SETTINGS = {
  type: 'object',
  additionalProperties: true,
  example: {
    host: 'warehouse.example',
    port: 5432,
    database: 'analytics',
    user: 'datagrid',
    schema: 'public',
  },
} as const;

const SECRET = {
  type: String,
  nullable: true,
  minLength: 1,
  maxLength: MAX_SECRET_LENGTH,
} as const;

const DATAGRID_IDS = {
  type: 'array',
  items: { type: 'string', format: 'uuid' },
  nullable: true,
  example: null,
} as const;

const INTERVAL = {
  type: 'integer',
  nullable: true,
  minimum: MIN_INTERVAL_SECONDS,
  maximum: MAX_INTERVAL_SECONDS,
  example: 3600,
} as const;

/** A connection, as returned by the API. */
export class ConnectionDto {
  /**
   * ID of the connection: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b16'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the workspace whose datagrids are copied.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11'
   */
  @ApiProperty({ format: 'uuid' })
  workspaceId!: string;

  /**
   * Name of the connection.
   * @example 'Warehouse'
   */
  @ApiProperty()
  name!: string;

  /** Type of the destination. */
  @ApiProperty({ enum: DESTINATION_TYPES })
  type!: DestinationType;

  /** Settings of the destination, which depend on its type. */
  @ApiProperty(SETTINGS)
  settings!: Readonly<Record<string, unknown>>;

  /** Whether the connection has a secret. The secret itself is never returned. */
  @ApiProperty({ example: true })
  hasSecret!: boolean;

  /** Datagrids that are copied; none if the list is empty. `null`: all of the workspace, also future ones. */
  @ApiProperty(DATAGRID_IDS)
  datagridIds!: string[] | null;

  /** Effect of deletions and, with `history`, of updates in the destination. `delete`: the row is
   * deleted. `mark`: the row stays, and `_deleted_at` has a value. `history`: each update and each
   * deletion keeps the version before it, whose `_valid_to` then has a value.
   */
  @ApiProperty({ enum: DELETION_MODES })
  deletions!: DeletionMode;

  /** Time in seconds between two syncs. `null`: changes are synced at once. */
  @ApiProperty(INTERVAL)
  intervalSeconds!: number | null;

  /** Whether the connection is synced. `false`: it is paused. */
  @ApiProperty({ example: true })
  enabled!: boolean;

  /**
   * Health: `active`, `failing` as long as the last run of a table failed, or `paused` if `enabled` is
   * `false`.
   */
  @ApiProperty({ enum: CONNECTION_STATUSES, example: 'active' })
  status!: ConnectionStatus;

  /**
   * Number of tables. Those of datagrids in the trash do not count.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  tables!: number;

  /**
   * Number of tables whose last run failed.
   * @example 0
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  failingTables!: number;

  /** Error of the table that failed last, in words. The text can change. `null`: no table fails. */
  @ApiProperty({ type: String, nullable: true, example: null })
  lastError!: string | null;

  /** Time of this error. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  lastErrorAt!: string | null;

  /** Time up to which all tables have all changes. `null`: a table is not loaded yet, or there is none. */
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-21T09:30:00.000Z',
  })
  syncedAt!: string | null;

  /**
   * Time at which the connection was created.
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

/** A destination to test. */
export class TestSettingsDto {
  /** Type of the destination. */
  @ApiProperty({ enum: DESTINATION_TYPES })
  @IsDestinationType()
  type!: DestinationType;

  /** Settings of the destination, which depend on its type. */
  @ApiProperty(SETTINGS)
  @IsSettings()
  settings!: Readonly<Record<string, unknown>>;

  /** Password, key or token for the destination, depending on its type. `null` if it has none.
   * @example 'correct horse battery staple'
   */
  @ApiPropertyOptional(SECRET)
  @MayBeAbsent()
  @IsSecret()
  secret?: string | null;
}

/** Result of a test. */
export class TestResultDto {
  /** Whether the service can connect, and has the rights that a sync needs. */
  @ApiProperty({ example: true })
  ok!: boolean;

  /** Reason of the failure, in words. `null` if `ok` is `true`. The text can change. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error!: string | null;
}

/** A new connection. */
export class CreateConnectionDto {
  /**
   * Name of 1 to 200 characters.
   * @example 'Warehouse'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /** Type of the destination. */
  @ApiProperty({ enum: DESTINATION_TYPES })
  @IsDestinationType()
  type!: DestinationType;

  /** Settings of the destination, which depend on its type. */
  @ApiProperty(SETTINGS)
  @IsSettings()
  settings!: Readonly<Record<string, unknown>>;

  /** Password, key or token for the destination, depending on its type. It is never returned. Default: `null`, none.
   * @example 'correct horse battery staple'
   */
  @ApiPropertyOptional(SECRET)
  @MayBeAbsent()
  @IsSecret()
  secret?: string | null;

  /**
   * Datagrids to copy; an empty list for a connection that only serves scheduled imports. Default: `null`,
   * all of the workspace, also future ones.
   */
  @ApiPropertyOptional({ ...DATAGRID_IDS, maxItems: MAX_DATAGRIDS })
  @MayBeAbsent()
  @IsDatagridIds()
  datagridIds?: string[] | null;

  /**
   * `delete` (default): deleted rows are deleted in the destination. `mark`: they are marked. `history`:
   * all versions of each row stay. A mode that the type does not support returns 400.
   */
  @ApiPropertyOptional({ enum: DELETION_MODES, default: 'delete' })
  @MayBeAbsent()
  @IsDeletions()
  deletions?: DeletionMode;

  /** Time in seconds between two syncs. Default: `null`, changes are synced at once. */
  @ApiPropertyOptional(INTERVAL)
  @MayBeAbsent()
  @IsInterval()
  intervalSeconds?: number | null;

  /** Whether to sync the connection. */
  @ApiPropertyOptional({ default: true, example: true })
  @MayBeAbsent()
  @IsEnabled()
  enabled?: boolean;
}

/** Changes to a connection. Absent properties keep their values. */
export class UpdateConnectionDto {
  /**
   * Name of 1 to 200 characters.
   * @example 'Warehouse'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  name?: string;

  /** All settings of the destination. If the connection has a secret, new settings require it again. */
  @ApiPropertyOptional(SETTINGS)
  @MayBeAbsent()
  @IsSettings()
  settings?: Readonly<Record<string, unknown>>;

  /** Password, key or token for the destination, depending on its type. `null` removes it.
   * @example 'correct horse battery staple'
   */
  @ApiPropertyOptional(SECRET)
  @MayBeAbsent()
  @IsSecret()
  secret?: string | null;

  /** Datagrids to copy, or `null` for all of the workspace. Tables of others stay in the destination. */
  @ApiPropertyOptional({ ...DATAGRID_IDS, maxItems: MAX_DATAGRIDS })
  @MayBeAbsent()
  @IsDatagridIds()
  datagridIds?: string[] | null;

  /** Effect of deleted rows in the destination. It can change only before the first load. */
  @ApiPropertyOptional({ enum: DELETION_MODES })
  @MayBeAbsent()
  @IsDeletions()
  deletions?: DeletionMode;

  /** Time in seconds between two syncs, or `null` to sync changes at once. */
  @ApiPropertyOptional(INTERVAL)
  @MayBeAbsent()
  @IsInterval()
  intervalSeconds?: number | null;

  /** `false` pauses the connection. `true` resumes it where it stopped. */
  @ApiPropertyOptional({ example: true })
  @MayBeAbsent()
  @IsEnabled()
  enabled?: boolean;
}
