import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, ValidateBy } from 'class-validator';
import { KEY_ID_OR_NULL, USER_ID_OR_NULL } from '../../common/caller/author-schema';
import { COUNTED_ID } from '../../common/text/id';
import { MayBeAbsent } from '../../common/validation/text-rules';
import { RowDto } from '../../rows/dto/row.dto';

/** The row that a restoration returns. A controller imports no DTO of another folder. */
export const RESTORED_ROW = RowDto;

/** One write of a row. */
export class RowHistoryEntryDto {
  /**
   * Revision of the datagrid at the write.
   * @example 4
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 })
  revision!: number;

  /** Effect of the write on the row. */
  @ApiProperty({ enum: ['created', 'updated', 'deleted'], example: 'updated' })
  operation!: string;

  /**
   * Time of the write.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  at!: string;

  /** User who made the write. `null` if unknown. */
  @ApiProperty(USER_ID_OR_NULL)
  userId!: string | null;

  /** API key of the write. `null` if it was made without one, such as in the console, or if unknown. */
  @ApiProperty(KEY_ID_OR_NULL)
  keyId!: string | null;

  /**
   * Values of the row after the write, by the current column keys. `null` if the write deleted the
   * row, and if the values were not stored because history was off when they were replaced.
   */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { iata: 'ZRH', name: 'Zurich' },
  })
  values!: Record<string, unknown> | null;

  /** Keys of columns in which the row had a value after the write, and that were removed since. */
  @ApiProperty({ type: [String], example: [] })
  removedColumns!: string[];
}

/** Returns a decorator that accepts a revision. */
const IsRevision = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'revision',
      validator: {
        validate: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
        defaultMessage: () => 'must be an integer from 1',
      },
    },
    { context: { code: 'wrong_type' } },
  );

/** The version of a row to restore. */
export class RestoreRowDto {
  /**
   * Revision at which the row got the values: `revision` of an entry of its history that has
   * `values`.
   * @example 1
   */
  @ApiProperty({ ...COUNTED_ID })
  @IsRevision()
  revision!: number;
}

const flagMessage = { message: 'must be true or false', context: { code: 'wrong_type' } };

/** The write to undo. */
export class UndoWriteDto {
  /**
   * Revision of the datagrid at the write.
   * @example 1
   */
  @ApiProperty({ ...COUNTED_ID })
  @IsRevision()
  revision!: number;

  /**
   * Whether to skip rows that were written since, or whose values no longer fit the columns. By
   * default, such rows return 409 and nothing changes.
   */
  @ApiPropertyOptional({ type: Boolean, default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  skipConflicts?: boolean;

  /** Whether to count the rows without changing them. Values are not checked then. */
  @ApiPropertyOptional({ type: Boolean, default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  dryRun?: boolean;
}

/** Numbers of rows that an undo has changed. */
export class UndoWriteResultDto {
  /**
   * Rows that the write had created, and that the undo deleted.
   * @example 0
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  deleted!: number;

  /**
   * Rows that the write had updated, and that have their values back.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  updated!: number;

  /**
   * Rows that the write had deleted, and that exist again.
   * @example 2
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  restored!: number;

  /**
   * Rows that conflict and were skipped.
   * @example 0
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  skipped!: number;

  /**
   * Revision of the datagrid after the undo.
   * @example 6
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  revision!: number;
}
