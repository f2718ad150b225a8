import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsObject, Matches } from 'class-validator';
import { IsName, MayBeAbsent } from '../../../common/validation/text-rules';
import { COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { COLUMN_KEY } from '../column-key';
import { ColumnOptionsBodyDto } from './column-options.dto';

const flagMessage = { message: 'must be true or false', context: { code: 'wrong_type' } };

export class CreateColumnDto {
  /**
   * Names the column's values in rows, for ever: a lower-case letter, then up to 62 letters,
   * digits and underscores; unique in the datagrid
   * @example 'size'
   */
  @ApiProperty({ pattern: COLUMN_KEY.source })
  @Matches(COLUMN_KEY, {
    message: 'must be a lowercase letter followed by up to 62 letters, digits or underscores',
    context: { code: 'invalid_format' },
  })
  key!: string;

  /** What its values may be */
  @ApiProperty({ enum: COLUMN_TYPES, example: 'select' })
  @IsIn(COLUMN_TYPES, {
    message: `must be one of ${COLUMN_TYPES.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  type!: ColumnType;

  /**
   * 1 to 200 characters after trimming; the key where absent
   * @example 'Size'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  title?: string;

  /** Whether every row must have a value; `false` where absent. */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  required?: boolean;

  /** Whether no two rows may have the same value; `false` where absent. */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  unique?: boolean;

  /** Whether the column is to be found and sorted by often; `false` where absent. */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  indexed?: boolean;

  /** Settings of the type; none where absent. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsObject({ message: 'must be an object', context: { code: 'wrong_type' } })
  options?: ColumnOptionsBodyDto;
}
