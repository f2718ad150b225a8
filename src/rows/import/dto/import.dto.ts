import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ERROR_RULES,
  IMPORT_FORMATS,
  IMPORT_MODES,
  IMPORT_STATES,
  type ErrorRule,
  type ImportFormat,
  type ImportMode,
  type ImportState,
} from '../job/import-options';
import { ENCODINGS, type Encoding } from '../read/body-text';
import { DELIMITER_NAMES, type Delimiter } from '../../values/delimiter';

const COUNT = { type: 'integer', format: 'int64', minimum: 0 } as const;

/** Why an import has ended before its end. */
export class ImportFailureDto {
  /**
   * One of the codes of errors
   * @example 'invalid_request'
   */
  @ApiProperty()
  code!: string;

  /** @example '1 line was rejected. See the import report.' */
  @ApiProperty()
  message!: string;
}

/** An import, as lists give it. */
export class ImportSummaryDto {
  /** @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b13' */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12' */
  @ApiProperty({ format: 'uuid' })
  datagridId!: string;

  /** Only `running` ever changes. */
  @ApiProperty({ enum: IMPORT_STATES, example: 'completed' })
  state!: ImportState;

  @ApiProperty({ enum: IMPORT_FORMATS })
  format!: ImportFormat;

  /** The delimiter of a CSV file, as sent or found; `null` until it is known, and of NDJSON. */
  @ApiProperty({ enum: [...DELIMITER_NAMES, null], type: String, nullable: true, example: 'comma' })
  delimiter!: Delimiter | null;

  /** The encoding of the file, as sent or found; `null` until it is known. */
  @ApiProperty({ enum: [...ENCODINGS, null], type: String, nullable: true, example: 'utf-8' })
  encoding!: Encoding | null;

  @ApiProperty({ enum: IMPORT_MODES })
  mode!: ImportMode;

  /** Keys of the columns that an upsert matches rows by. */
  @ApiProperty({ type: [String], example: [] })
  matchOn!: readonly string[];

  @ApiProperty({ enum: ERROR_RULES })
  onError!: ErrorRule;

  /** Lines with a row that were read, whatever became of them. */
  @ApiProperty({ ...COUNT, example: 8107 })
  rowsRead!: number;

  /** Rows that are created and committed. */
  @ApiProperty({ ...COUNT, example: 8107 })
  created!: number;

  /** Rows that an upsert has changed. */
  @ApiProperty({ ...COUNT, example: 0 })
  updated!: number;

  /** Rows that an upsert has found to be as the lines say. */
  @ApiProperty({ ...COUNT, example: 0 })
  unchanged!: number;

  /** Lines that were rejected. */
  @ApiProperty({ ...COUNT, example: 0 })
  rejected!: number;

  /** Rows that stay whatever happens: `created`, `updated` and `unchanged` together. */
  @ApiProperty({ ...COUNT, example: 8107 })
  committedRows!: number;

  /**
   * The line to go on from where the import has ended before its end: all lines before it are
   * committed or rejected. 1 where there are none, `null` once it is completed.
   */
  @ApiProperty({ ...COUNT, minimum: 1, nullable: true, example: null })
  nextLine!: number | null;

  /** Lines that were done with in a second, since the start. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 61000 })
  rowsPerSecond!: number;

  /** An estimate while it is running; `null` where it cannot be told, and afterwards. */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: null })
  secondsLeft!: number | null;

  /** Keys of the columns that were made of the header. */
  @ApiProperty({ type: [String], example: [] })
  createdColumns!: readonly string[];

  /** Where it failed or was cancelled. */
  @ApiPropertyOptional({ type: ImportFailureDto })
  failure?: ImportFailureDto;

  /**
   * RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  /**
   * RFC 3339, UTC, milliseconds; `null` while it is running
   * @example '2026-11-21T09:30:00.132Z'
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finishedAt!: string | null;
}

/** What is wrong with a value of a line. */
export class RefusedValueDto {
  /**
   * The column's key, or `line` for what is wrong with all of it
   * @example 'size'
   */
  @ApiProperty()
  field!: string;

  /**
   * One of the codes of `details`
   * @example 'not_a_choice'
   */
  @ApiProperty()
  code!: string;

  /** @example "must be one of the column's choices" */
  @ApiProperty()
  message!: string;
}

/** A line that was refused. */
export class RefusedLineDto {
  /** Where its row begins, from 1. */
  @ApiProperty({ ...COUNT, minimum: 1, example: 17 })
  line!: number;

  /** Up to 10. */
  @ApiProperty({ type: [RefusedValueDto] })
  details!: RefusedValueDto[];
}

/** An import and what has become of it. */
export class ImportDto extends ImportSummaryDto {
  /** The first 1,000 lines that were rejected, in order, up to 256 KiB of JSON. */
  @ApiProperty({ type: [RefusedLineDto], example: [] })
  errors!: RefusedLineDto[];
}
