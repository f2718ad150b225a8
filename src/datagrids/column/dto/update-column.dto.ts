import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsObject } from 'class-validator';
import { IsName, MayBeAbsent } from '../../../common/validation/text-rules';
import { COLUMN_TYPES, type ColumnType } from '../../column-type/column-type';
import { ColumnOptionsDto } from './column-options.dto';

const flagMessage = { message: 'must be true or false', context: { code: 'wrong_type' } };

/** What is absent stays as it is. The key cannot change. */
export class UpdateColumnDto {
  /**
   * 1 to 200 characters after trimming
   * @example 'Amount'
   */
  @MayBeAbsent()
  @IsName()
  title?: string;

  /** Only a type that holds every value as it stands. */
  @ApiProperty({ enum: COLUMN_TYPES, required: false, example: 'number' })
  @MayBeAbsent()
  @IsIn(COLUMN_TYPES, {
    message: `must be one of ${COLUMN_TYPES.join(', ')}`,
    context: { code: 'not_a_choice' },
  })
  type?: ColumnType;

  @MayBeAbsent()
  @IsBoolean(flagMessage)
  required?: boolean;

  @MayBeAbsent()
  @IsBoolean(flagMessage)
  unique?: boolean;

  @MayBeAbsent()
  @IsBoolean(flagMessage)
  indexed?: boolean;

  /** Replaces all options; a choice that rows hold cannot go. */
  @MayBeAbsent()
  @IsObject({ message: 'must be an object', context: { code: 'wrong_type' } })
  options?: ColumnOptionsDto;
}
