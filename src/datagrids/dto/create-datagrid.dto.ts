import { Type } from 'class-transformer';
import { IsArray, ValidateNested } from 'class-validator';
import { IsDescription, IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { CreateColumnDto } from '../column/dto/create-column.dto';

export class CreateDatagridDto {
  /**
   * 1 to 200 characters after trimming, unique in the workspace, ignoring case
   * @example 'Airports'
   */
  @IsName()
  name!: string;

  /** Up to 2,000 characters */
  @MayBeAbsent()
  @IsDescription()
  description?: string;

  @MayBeAbsent()
  @IsArray({ message: 'must be an array of columns', context: { code: 'wrong_type' } })
  @ValidateNested({ message: 'must be a column', context: { code: 'wrong_type' } })
  @Type(() => CreateColumnDto)
  columns?: CreateColumnDto[];
}
