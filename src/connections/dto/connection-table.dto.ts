import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../common/validation/text-rules';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import { HIGHEST_MAX_COLUMNS } from '../../platform/config/setting-types';
import { TABLE_REQUESTS, type TableRequest } from '../connection.entity';
import {
  DESTINATION_COLUMN_STATES,
  type DestinationColumnState,
} from '../sync/destination-columns';
import { MAX_TABLE_NAME_LENGTH, TABLE_NAME } from '../table-name';

const TABLE_STATUSES = ['waiting', 'loading', 'synced', 'failing', 'paused'] as const;
export type TableStatus = (typeof TABLE_STATUSES)[number];

const NAME_MESSAGE = `must be 1 to ${String(MAX_TABLE_NAME_LENGTH)} lower-case letters, digits and _, beginning with a letter`;
const COLUMNS_MESSAGE = 'must be null or a list of column keys, without duplicates';

/** A time that can be missing. */
const TIME = { type: String, format: 'date-time', nullable: true } as const;
const COUNT = { type: 'integer', format: 'int64', nullable: true, minimum: 0 } as const;

const COLUMNS = {
  type: 'array',
  items: { type: 'string', maxLength: MAX_KEY_LENGTH },
  nullable: true,
} as const;

/** A column of a table in a destination. */
export class DestinationColumnDto {
  /** Key of the datagrid's column. `null`: the datagrid no longer has it, or the state is `unused`. */
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_KEY_LENGTH, example: 'city' })
  key!: string | null;

  /**
   * Name in the destination, made of the key that the column had first. It does not change.
   * @example 'town'
   */
  @ApiProperty()
  name!: string;

  /**
   * Type of the values, as the destination names it.
   * @example 'text'
   */
  @ApiProperty()
  type!: string;

  /**
   * `complete` if all rows have their values, `filling` if a load or the next runs still add values of some
   * rows, or `unused` if no values are written: a view or another object of yours depends on a former
   * column, which is dropped when nothing depends on it.
   */
  @ApiProperty({ enum: DESTINATION_COLUMN_STATES, example: 'complete' })
  state!: DestinationColumnState;
}

/** The table of a datagrid in a destination. */
export class ConnectionTableDto {
  /**
   * ID of the datagrid.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  datagridId!: string;

  /**
   * Name of the table in the destination. It does not change with the name of the datagrid.
   * @example 'airports'
   */
  @ApiProperty()
  name!: string;

  /** Keys of the columns that are copied. `null`: all, also future ones. */
  @ApiProperty({ ...COLUMNS, example: null })
  columns!: string[] | null;

  /**
   * Columns in the destination, without those that every table has, after the last step of a run. Empty
   * before the first one.
   */
  @ApiProperty({ type: [DestinationColumnDto] })
  destinationColumns!: DestinationColumnDto[];

  /**
   * `waiting` for the first load, `loading` during the first load and after a reset, `synced` once it is
   * loaded, `failing` if the last run failed, or `paused` if the connection is.
   */
  @ApiProperty({ enum: TABLE_STATUSES, example: 'synced' })
  status!: TableStatus;

  /** Rows that the load in progress has copied. `null`: there is none. */
  @ApiProperty({ ...COUNT, example: null })
  loadedRows!: number | null;

  /** Rows of the datagrid, during a load. `null`: there is none. */
  @ApiProperty({ ...COUNT, example: null })
  totalRows!: number | null;

  /** Revision of the datagrid that the destination has or, during a load, at which the load began. `null` before the first load begins. */
  @ApiProperty({ ...COUNT, example: 4 })
  revision!: number | null;

  /**
   * Revision of the datagrid.
   * @example 4
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  datagridRevision!: number;

  /** Time at which the destination had all changes. */
  @ApiProperty({ ...TIME, example: '2026-11-21T09:30:00.000Z' })
  syncedAt!: string | null;

  /**
   * Seconds since the oldest change that the destination lacks, or 0 if it has all changes. `null`
   * before the first load is complete.
   */
  @ApiProperty({ ...COUNT, example: 0 })
  lagSeconds!: number | null;

  /** Error of the last run, in words. The text can change. `null`: it did not fail. */
  @ApiProperty({ type: String, nullable: true, example: null })
  lastError!: string | null;

  /** Time of this error. */
  @ApiProperty({ ...TIME, example: null })
  lastErrorAt!: string | null;

  /** Time of the last complete check. */
  @ApiProperty({ ...TIME, example: null })
  checkedAt!: string | null;

  /** Rows that were different in the last complete check. */
  @ApiProperty({ ...COUNT, example: null })
  differentRows!: number | null;

  /** Request that no run has completed yet. `null`: there is none. */
  @ApiProperty({ enum: [...TABLE_REQUESTS, null], type: String, nullable: true, example: null })
  request!: TableRequest | null;
}

/** Changes to a table. Absent properties keep their values. */
export class UpdateConnectionTableDto {
  /**
   * Name in the destination. It can change only before the first load.
   * @example 'airports'
   */
  @ApiPropertyOptional({ pattern: TABLE_NAME.source })
  @MayBeAbsent()
  @ValidateBy(
    {
      name: 'tableName',
      validator: {
        validate: (value) => typeof value === 'string' && TABLE_NAME.test(value),
        defaultMessage: () => NAME_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  )
  name?: string;

  /** Keys of the columns to copy, or `null` for all. The next run removes the others from the table in the destination and adds new ones with the values of all rows. */
  @ApiPropertyOptional({
    ...COLUMNS,
    minItems: 1,
    maxItems: HIGHEST_MAX_COLUMNS,
    uniqueItems: true,
    example: ['size'],
  })
  @MayBeAbsent()
  @ValidateBy(
    {
      name: 'columns',
      validator: {
        validate: (value) =>
          value === null ||
          (Array.isArray(value) &&
            value.length > 0 &&
            value.every((key) => typeof key === 'string') &&
            new Set(value).size === value.length),
        defaultMessage: () => COLUMNS_MESSAGE,
      },
    },
    { context: { code: 'invalid_format' } },
  )
  columns?: string[] | null;
}

/** A run that has changed a table, or failed. */
export class ConnectionRunDto {
  /**
   * ID of the run. Later runs have greater ids.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b17'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the datagrid whose table was synced.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  datagridId!: string;

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

  /**
   * Rows that were loaded, changed or deleted.
   * @example 9
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  rows!: number;

  /**
   * Bytes that were sent to the destination.
   * @example 1024
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  bytes!: number;

  /** Revision that the destination has after the run. `null` if the first load is not complete. */
  @ApiProperty({ ...COUNT, example: 4 })
  revision!: number | null;

  /** Error, in words. The text can change. `null` if the run did not fail. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error!: string | null;
}
