import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsObject } from 'class-validator';
import { IsName, MayBeAbsent } from '../../../common/validation/text-rules';
import { COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { ColumnOptionsBodyDto } from './column-options.dto';

const flagMessage = { message: 'must be true or false', context: { code: 'wrong_type' } };

/** What is absent stays as it is. The key cannot change. */
export class UpdateColumnDto {
  /**
   * 1 to 200 characters after trimming
   * @example 'Size'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  title?: string;

  /** Only a type that is valid for every stored value. */
  @ApiPropertyOptional({ enum: COLUMN_TYPES, example: 'select' })
  @MayBeAbsent()
  @IsIn(COLUMN_TYPES, {
    message: `must be one of ${COLUMN_TYPES.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  type?: ColumnType;

  /** Whether every row must have a value. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  required?: boolean;

  /** Whether no two rows may have the same value. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  unique?: boolean;

  /** Whether the column is to be found and sorted by often. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsBoolean(flagMessage)
  indexed?: boolean;

  /** Replaces all options; a choice that rows hold cannot go. */
  @ApiPropertyOptional()
  @MayBeAbsent()
  @IsObject({ message: 'must be an object', context: { code: 'wrong_type' } })
  options?: ColumnOptionsBodyDto;
}
