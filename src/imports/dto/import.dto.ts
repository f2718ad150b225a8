import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Delimiter, DELIMITER_NAMES } from '../../rows/values/delimiter';
import {
  ERROR_RULES,
  type ErrorRule,
  IMPORT_FORMATS,
  IMPORT_MODES,
  IMPORT_STATES,
  type ImportFormat,
  type ImportMode,
  type ImportRecord,
  type ImportReport,
  type ImportState,
} from '../job/import.entity';
import { type Encoding, ENCODINGS } from '../read/body-text';
import type { FileFormat } from '../read/csv-input';
import { inOrder } from '../progress/import-progress';

const COUNT = { type: 'integer', format: 'int64', minimum: 0 } as const;

/** Reason why an import failed or was cancelled. */
export class ImportFailureDto {
  /**
   * Error code, as in error responses.
   * @example 'invalid_request'
   */
  @ApiProperty()
  code!: string;

  /**
   * Explanation for people. The text can change.
   * @example '1 line was rejected. See the import report.'
   */
  @ApiProperty()
  message!: string;
}

/** An import, as returned in lists. */
export class ImportSummaryDto {
  /**
   * ID of the import, assigned by the service.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * ID of the datagrid that the import writes to.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  @ApiProperty({ format: 'uuid' })
  datagridId!: string;

  /**
   * State of the import. `completed`: every line was written or rejected. Only a `running` import
   * changes its state.
   */
  @ApiProperty({ enum: IMPORT_STATES, example: 'completed' })
  state!: ImportState;

  /** Format of the file. `query`: the rows of a scheduled import's query. */
  @ApiProperty({ enum: IMPORT_FORMATS })
  format!: ImportFormat;

  /** Delimiter of the CSV file, as sent or detected. `null` for other formats, and until it is known. */
  @ApiProperty({ enum: [...DELIMITER_NAMES, null], type: String, nullable: true, example: 'comma' })
  delimiter!: Delimiter | null;

  /** Encoding of the file, as sent or detected. `null` until it is known. */
  @ApiProperty({ enum: [...ENCODINGS, null], type: String, nullable: true, example: 'utf-8' })
  encoding!: Encoding | null;

  /** `insert` creates a row for each line. `upsert` also updates rows that match. */
  @ApiProperty({ enum: IMPORT_MODES })
  mode!: ImportMode;

  /** Keys of the columns by which an upsert matches rows. Empty with `insert`. */
  @ApiProperty({ type: [String], example: [] })
  matchOn!: readonly string[];

  /** Effect of a rejected line: `abort` ends the import, `skip` leaves the line out. */
  @ApiProperty({ enum: ERROR_RULES })
  onError!: ErrorRule;

  /** Number of lines with a row that were read. */
  @ApiProperty({ ...COUNT, example: 8107 })
  rowsRead!: number;

  /** Number of rows that were created and committed. */
  @ApiProperty({ ...COUNT, example: 8107 })
  created!: number;

  /** Number of rows that an upsert updated. */
  @ApiProperty({ ...COUNT, example: 0 })
  updated!: number;

  /** Number of rows that an upsert matched and that already had the same values. */
  @ApiProperty({ ...COUNT, example: 0 })
  unchanged!: number;

  /** Number of lines that were rejected. */
  @ApiProperty({ ...COUNT, example: 0 })
  rejected!: number;

  /** Sum of `created`, `updated` and `unchanged`. These rows stay, whatever happens later. */
  @ApiProperty({ ...COUNT, example: 8107 })
  committedRows!: number;

  /**
   * Revision of the first write of the import. Each batch is a write, and other writes can be between
   * them. `null` until a row was written.
   */
  @ApiProperty({ ...COUNT, minimum: 1, nullable: true, example: 2 })
  firstRevision!: number | null;

  /** Revision of the last write of the import so far. `null` until a row was written. */
  @ApiProperty({ ...COUNT, minimum: 1, nullable: true, example: 3 })
  lastRevision!: number | null;

  /**
   * Line to continue from if the import fails. All lines before it were committed, rejected or skipped
   * by `startLine`. `startLine`, or `1`, if there are none; `null` if the import completed.
   */
  @ApiProperty({ ...COUNT, minimum: 1, nullable: true, example: null })
  nextLine!: number | null;

  /** Lines processed per second since the start. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 61000 })
  rowsPerSecond!: number;

  /**
   * Estimated seconds until the import ends. `null` if it has ended, or if there is no estimate, for
   * example because the request has no `Content-Length`.
   */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: null })
  secondsLeft!: number | null;

  /** Keys of the columns that were created from the header. */
  @ApiProperty({ type: [String], example: [] })
  createdColumns!: readonly string[];

  /** Error of the import. Present only if it failed or was cancelled. */
  @ApiPropertyOptional({ type: ImportFailureDto })
  failure?: ImportFailureDto;

  /**
   * Time at which the import started.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  /**
   * Time at which the import ended. `null` while it is running.
   * @example '2026-11-21T09:30:00.132Z'
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finishedAt!: string | null;
}

/** One invalid value of a line. */
export class RejectedValueDto {
  /**
   * Key of the column, or `line` if the whole line is invalid.
   * @example 'size'
   */
  @ApiProperty()
  field!: string;

  /**
   * Detail code, as in `details` of error responses.
   * @example 'not_a_choice'
   */
  @ApiProperty()
  code!: string;

  /**
   * Explanation for people. The text can change.
   * @example "must be one of the column's choices"
   */
  @ApiProperty()
  message!: string;
}

/** A rejected line. */
export class RejectedLineDto {
  /** Number of the line at which the row starts, counting from 1. */
  @ApiProperty({ ...COUNT, minimum: 1, example: 17 })
  line!: number;

  /** Errors of the line, up to 10. */
  @ApiProperty({ type: [RejectedValueDto] })
  details!: RejectedValueDto[];
}

/** An import with its rejected lines. */
export class ImportDto extends ImportSummaryDto {
  /** Rejected lines in order: up to 1,000 lines and 256 KiB of JSON. */
  @ApiProperty({ type: [RejectedLineDto], example: [] })
  errors!: RejectedLineDto[];
}

export function toSummaryDto(record: ImportRecord): ImportSummaryDto {
  const { id, datagridId, state, options, failure, startedAt, finishedAt } = record;
  const { rowsRead, created, updated, unchanged, rejected, nextLine, createdColumns } = record;
  const { firstRevision, lastRevision } = record;
  const { format, mode, matchOn, onError } = options;
  // Imports of earlier releases have neither.
  const { delimiter = null, encoding = null } = options as Partial<FileFormat>;
  return {
    id,
    datagridId,
    state,
    format,
    delimiter,
    encoding,
    mode,
    matchOn,
    onError,
    rowsRead,
    created,
    updated,
    unchanged,
    rejected,
    committedRows: created + updated + unchanged,
    firstRevision,
    lastRevision,
    nextLine,
    rowsPerSecond: Math.round(doneRows(record) / Math.max(record.seconds, 0.001)),
    secondsLeft: secondsLeft(record),
    createdColumns,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

export function toImportDto(report: ImportReport): ImportDto {
  const errors = report.errors.map(({ line, details }) => ({ line, details: inOrder(details) }));
  return Object.assign(toSummaryDto(report), { errors });
}

const doneRows = ({ created, updated, unchanged, rejected }: ImportRecord): number =>
  created + updated + unchanged + rejected;

/** Estimates the seconds left from the share of the body that was read, and the rows in it. */
function secondsLeft(record: ImportRecord): number | null {
  const { state, totalBytes, readBytes, rowsRead, seconds } = record;
  const done = doneRows(record);
  if (state !== 'running' || !totalBytes || readBytes === 0 || done === 0) return null;
  const allRows = rowsRead * (totalBytes / readBytes);
  return Math.max(0, Math.round((seconds * (allRows - done)) / done));
}
