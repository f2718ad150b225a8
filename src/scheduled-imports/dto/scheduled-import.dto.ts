import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RejectedLineDto } from '../../imports/dto/import.dto';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { MISSING_ROWS, type MissingRows } from '../scheduled-import.entity';
import {
  INTERVAL,
  IsColumnMapping,
  IsDatagridId,
  IsInterval,
  IsKeyColumns,
  IsMissingRows,
  IsQuery,
  IsSwitch,
  IsTable,
  KEY_COLUMNS,
  MAPPING,
  MAX_QUERY_LENGTH,
  MAX_TABLE_LENGTH,
} from './scheduled-import-rules';

const SCHEDULED_IMPORT_STATUSES = ['waiting', 'running', 'active', 'failing', 'paused'] as const;
export type ScheduledImportStatus = (typeof SCHEDULED_IMPORT_STATUSES)[number];

const COUNT = { type: 'integer', format: 'int64', minimum: 0 } as const;
/** A time that can be missing. */
const TIME = { type: String, format: 'date-time', nullable: true } as const;
const QUERY = {
  type: String,
  nullable: true,
  minLength: 1,
  maxLength: MAX_QUERY_LENGTH,
  example: 'select iata, count(*) as flights from flights group by iata',
} as const;
const TABLE = { type: String, nullable: true, maxLength: MAX_TABLE_LENGTH, example: null } as const;

/** A run of a scheduled import that has ended. */
export class ScheduledImportRunDto {
  /**
   * ID of the run. Later runs have greater ids.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b1a'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the import into the datagrid, whose report lists up to 1,000 rejected rows for 7 days. `null`
   * if the run failed before.
   */
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13',
  })
  importId!: string | null;

  /**
   * Time at which the run began.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  /**
   * Time at which the run ended.
   * @example '2026-11-21T09:30:02.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  endedAt!: string;

  /** Rows of the result that were read. */
  @ApiProperty({ ...COUNT, example: 9 })
  rowsRead!: number;

  /** Rows of the datagrid that were created. */
  @ApiProperty({ ...COUNT, example: 2 })
  created!: number;

  /** Rows that were updated. */
  @ApiProperty({ ...COUNT, example: 1 })
  updated!: number;

  /** Rows that had the same values already. They were not written. */
  @ApiProperty({ ...COUNT, example: 6 })
  unchanged!: number;

  /** Rows that were deleted, because the result lacks them. */
  @ApiProperty({ ...COUNT, example: 0 })
  deleted!: number;

  /** Rows of the result that were rejected, because a value does not fit its column. */
  @ApiProperty({ ...COUNT, example: 0 })
  rejected!: number;

  /** The first rejected rows, up to 20. `line` is the number of the row in the result, from 1. */
  @ApiProperty({ type: [RejectedLineDto], example: [] })
  rejectedRows!: RejectedLineDto[];

  /** Why a successful run has deleted no rows, although `missingRows` is `delete`. */
  @ApiProperty({ type: String, nullable: true, example: null })
  note!: string | null;

  /** Error, in words. The text can change. `null` if the run did not fail. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error!: string | null;
}

/** A scheduled import, as returned by the API. */
export class ScheduledImportDto {
  /**
   * ID of the scheduled import: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b19'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the connection that is read.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b16'
   */
  @ApiProperty({ format: 'uuid' })
  connectionId!: string;

  /**
   * Name of the scheduled import.
   * @example 'Traffic by airport'
   */
  @ApiProperty()
  name!: string;

  /**
   * ID of the datagrid that is written.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  datagridId!: string;

  /** Statement whose result is read. `null` if `table` is read. */
  @ApiProperty(QUERY)
  query!: string | null;

  /** Table or view that is read, as `table` or `schema.table`. `null` if `query` is read. */
  @ApiProperty(TABLE)
  table!: string | null;

  /** Keys of the unique columns by which rows of the result match rows of the datagrid. */
  @ApiProperty(KEY_COLUMNS)
  keyColumns!: readonly string[];

  /** Column keys by the names of columns of the result. `null`: the names are the keys. */
  @ApiProperty(MAPPING)
  columns!: Readonly<Record<string, string>> | null;

  /** `delete`: rows of the datagrid that the result lacks are deleted. `keep`: they stay. */
  @ApiProperty({ enum: MISSING_ROWS })
  missingRows!: MissingRows;

  /** Whether an empty result deletes all rows, with `missingRows` `delete`. */
  @ApiProperty({ example: false })
  allowEmptyResult!: boolean;

  /** Time in seconds from the start of a run to the next. `null`: runs only on demand. */
  @ApiProperty(INTERVAL)
  intervalSeconds!: number | null;

  /** Whether the import runs. `false`: it is paused. */
  @ApiProperty({ example: true })
  enabled!: boolean;

  /**
   * `waiting` for the first run, `running`, `active` if the last run succeeded, `failing` if it failed, or
   * `paused` if `enabled` is `false` here or in the connection.
   */
  @ApiProperty({ enum: SCHEDULED_IMPORT_STATUSES, example: 'active' })
  status!: ScheduledImportStatus;

  /** Error of the last run, in words. The text can change. `null`: it did not fail. */
  @ApiProperty({ type: String, nullable: true, example: null })
  lastError!: string | null;

  /** Time of this error. */
  @ApiProperty({ ...TIME, example: null })
  lastErrorAt!: string | null;

  /** Time at which the last run that has ended began. */
  @ApiProperty({ ...TIME, example: '2026-11-21T09:30:00.000Z' })
  lastRunAt!: string | null;

  /** Last run that has ended. Absent if there is none, or its entry has expired. */
  @ApiPropertyOptional({ type: ScheduledImportRunDto })
  lastRun?: ScheduledImportRunDto;

  /** Time of the next run. `null`: a run must be requested. */
  @ApiProperty({ ...TIME, example: '2026-11-21T10:30:00.000Z' })
  nextRunAt!: string | null;

  /**
   * Time at which the scheduled import was created.
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

/** A new scheduled import. */
export class CreateScheduledImportDto {
  /**
   * Name of 1 to 200 characters.
   * @example 'Traffic by airport'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /**
   * ID of a datagrid of the connection's workspace.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  @IsDatagridId()
  datagridId!: string;

  /** One SELECT statement. Either `query` or `table` is required. */
  @ApiPropertyOptional(QUERY)
  @MayBeAbsent()
  @IsQuery()
  query?: string | null;

  /** Table or view, as `table` or `schema.table`. */
  @ApiPropertyOptional(TABLE)
  @MayBeAbsent()
  @IsTable()
  table?: string | null;

  /** Keys of one to four unique columns by which rows match. All must match the same row. */
  @ApiProperty(KEY_COLUMNS)
  @IsKeyColumns()
  keyColumns!: string[];

  /** Column keys by the names of columns of the result. Others match by their name. Default: `null`. */
  @ApiPropertyOptional(MAPPING)
  @MayBeAbsent()
  @IsColumnMapping()
  columns?: Readonly<Record<string, string>> | null;

  /** `keep` (default), or `delete` rows of the datagrid that the result lacks. */
  @ApiPropertyOptional({ enum: MISSING_ROWS, default: 'keep' })
  @MayBeAbsent()
  @IsMissingRows()
  missingRows?: MissingRows;

  /** Whether an empty result deletes all rows, with `missingRows` `delete`. */
  @ApiPropertyOptional({ default: false, example: false })
  @MayBeAbsent()
  @IsSwitch()
  allowEmptyResult?: boolean;

  /** Time in seconds from the start of a run to the next. Default: `null`, only by request. */
  @ApiPropertyOptional(INTERVAL)
  @MayBeAbsent()
  @IsInterval()
  intervalSeconds?: number | null;

  /** Whether the import runs. */
  @ApiPropertyOptional({ default: true, example: true })
  @MayBeAbsent()
  @IsSwitch()
  enabled?: boolean;
}

/** Changes to a scheduled import. Absent properties keep their values. */
export class UpdateScheduledImportDto {
  /**
   * Name of 1 to 200 characters.
   * @example 'Traffic by airport'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  name?: string;

  /**
   * ID of a datagrid of the connection's workspace.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiPropertyOptional({ format: 'uuid' })
  @MayBeAbsent()
  @IsDatagridId()
  datagridId?: string;

  /** One SELECT statement. With it, `table` becomes `null`. */
  @ApiPropertyOptional(QUERY)
  @MayBeAbsent()
  @IsQuery()
  query?: string | null;

  /** Table or view, as `table` or `schema.table`. With it, `query` becomes `null`. */
  @ApiPropertyOptional(TABLE)
  @MayBeAbsent()
  @IsTable()
  table?: string | null;

  /** Keys of one to four unique columns by which rows match. */
  @ApiPropertyOptional(KEY_COLUMNS)
  @MayBeAbsent()
  @IsKeyColumns()
  keyColumns?: string[];

  /** Column keys by the names of columns of the result, or `null`. */
  @ApiPropertyOptional(MAPPING)
  @MayBeAbsent()
  @IsColumnMapping()
  columns?: Readonly<Record<string, string>> | null;

  /** `keep`, or `delete` rows of the datagrid that the result lacks. */
  @ApiPropertyOptional({ enum: MISSING_ROWS })
  @MayBeAbsent()
  @IsMissingRows()
  missingRows?: MissingRows;

  /** Whether an empty result deletes all rows, with `missingRows` `delete`. */
  @ApiPropertyOptional({ example: false })
  @MayBeAbsent()
  @IsSwitch()
  allowEmptyResult?: boolean;

  /** Time in seconds from the start of a run to the next, or `null`: only by request. */
  @ApiPropertyOptional(INTERVAL)
  @MayBeAbsent()
  @IsInterval()
  intervalSeconds?: number | null;

  /** `false` pauses the import. `true` resumes it. */
  @ApiPropertyOptional({ example: true })
  @MayBeAbsent()
  @IsSwitch()
  enabled?: boolean;
}
