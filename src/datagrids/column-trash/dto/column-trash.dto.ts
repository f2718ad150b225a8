import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { KEY_ID_OR_NULL, USER_ID_OR_NULL } from '../../../common/caller/author-schema';
import { COUNTED_ID } from '../../../common/text/id';
import { MayBeAbsent } from '../../../common/validation/text-rules';
import { COLUMN_KEY } from '../../column-type/column-options';
import { IsColumnKey } from '../../column/dto/column-key';
import { ColumnDto, flagMessage } from '../../column/dto/column.dto';

const idMessage = { message: 'must be an integer from 1', context: { code: 'wrong_type' } };

/** A deleted column that can be restored. */
export class DeletedColumnDto extends OmitType(ColumnDto, ['indexing']) {
  /**
   * ID of the column in the datagrid. It stays the same when the column is restored, and no other
   * column has it.
   * @example 3
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  id!: number;

  /**
   * Time at which the column was deleted.
   * @example '2026-11-21T09:40:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  deletedAt!: string;

  /**
   * Time after which the column cannot be restored anymore.
   * @example '2026-11-28T09:40:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;

  /** User who deleted the column. */
  @ApiProperty(USER_ID_OR_NULL)
  userId!: string | null;

  /** API key of the deletion. `null` if it was made without one, such as in the console. */
  @ApiProperty(KEY_ID_OR_NULL)
  keyId!: string | null;
}

/** The deleted column to restore. */
export class RestoreColumnDto {
  /**
   * ID of the deleted column.
   * @example 3
   */
  @ApiProperty({ ...COUNTED_ID })
  @IsInt(idMessage)
  @Min(1, idMessage)
  @Max(Number.MAX_SAFE_INTEGER, idMessage)
  id!: number;

  /**
   * Key of the restored column. By default the key that it had. Send another one if a column has
   * that key now.
   * @example 'size_old'
   */
  @ApiPropertyOptional({ pattern: COLUMN_KEY.source })
  @MayBeAbsent()
  @IsColumnKey()
  key?: string;

  /**
   * Whether every row must have a value. By default as before the deletion. Send `false`
   * if rows without a value were created since.
   */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  required?: boolean;

  /**
   * Whether every value must be different from those of all other rows. By default as
   * before the deletion.
   */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  unique?: boolean;
}
