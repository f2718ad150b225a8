import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { KEY_ID_OR_NULL, USER_ID_OR_NULL } from '../../common/caller/author-schema';
import type { DetailCode } from '../../common/error/app-error';
import { COUNTED_ID } from '../../common/text/id';

/** Maximum number of rows that a request restores, which bounds the time under the lock. */
export const MAX_RESTORED_ROWS = 10_000;

/** A deleted row that can be restored. */
export class DeletedRowDto {
  /**
   * ID of the row. It stays the same when the row is restored.
   * @example 3
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 })
  id!: number;

  /**
   * Values of the row when it was deleted, by the current column keys.
   */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { iata: 'ZRH', name: 'Zurich' },
  })
  values!: Record<string, unknown>;

  /** Keys of columns in which the row had a value, and that were removed after its last write. */
  @ApiProperty({ type: [String], example: [] })
  removedColumns!: string[];

  /**
   * Revision of the datagrid at the deletion.
   * @example 7
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 })
  revision!: number;

  /**
   * Time at which the row was created. It stays the same when the row is restored.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time of the last write of the row before its deletion.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;

  /**
   * Time at which the row was deleted.
   * @example '2026-11-21T09:40:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  deletedAt!: string;

  /**
   * Time after which the row is purged. A purged row cannot be restored.
   * @example '2026-11-28T09:40:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;

  /** User who deleted the row. `null` if the service did. */
  @ApiProperty(USER_ID_OR_NULL)
  userId!: string | null;

  /** API key of the deletion. `null` if it was made without one, such as in the console. */
  @ApiProperty(KEY_ID_OR_NULL)
  keyId!: string | null;
}

const isRowId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const rule = (
  name: string,
  code: DetailCode,
  message: string,
  isValid: (ids: readonly unknown[]) => boolean,
): PropertyDecorator => {
  const validate = (value: unknown): boolean => Array.isArray(value) && isValid(value);
  return ValidateBy(
    { name, validator: { validate, defaultMessage: () => message } },
    { context: { code } },
  );
};

/** The deleted rows to restore. */
export class RestoreRowsDto {
  /** IDs of the rows, each once. */
  @ApiProperty({
    type: 'array',
    items: { ...COUNTED_ID },
    minItems: 1,
    maxItems: MAX_RESTORED_ROWS,
    uniqueItems: true,
    example: [1],
  })
  @rule('unique', 'duplicate_row', 'must contain each ID once', (ids) => {
    return new Set(ids).size === ids.length;
  })
  @rule('size', 'out_of_range', `must contain 1 to ${String(MAX_RESTORED_ROWS)} IDs`, (ids) => {
    return ids.length > 0 && ids.length <= MAX_RESTORED_ROWS;
  })
  @rule('ids', 'wrong_type', 'must be an array of integers from 1', (ids) => ids.every(isRowId))
  ids!: number[];
}

/** Result of a restoration. */
export class RestoreRowsResultDto {
  /**
   * Number of rows that exist again.
   * @example 1
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  restored!: number;

  /**
   * Revision of the datagrid after the restoration.
   * @example 8
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 })
  revision!: number;
}
