import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, ValidateNested } from 'class-validator';
import { IsDescription, IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { CreateColumnDto } from '../column/dto/create-column.dto';

const CREATE_COLUMNS_EXAMPLE = [
  { key: 'iata', type: 'text', title: 'IATA code', required: true, unique: true },
  { key: 'name', type: 'text', title: 'Name' },
  { key: 'size', type: 'select', title: 'Size', options: { choices: ['small', 'large'] } },
  { key: 'country', type: 'text', title: 'Country', indexed: true },
  { key: 'latitude', type: 'number', title: 'Latitude' },
];

export class CreateDatagridDto {
  /**
   * 1 to 200 characters after trimming, unique in the workspace, ignoring case
   * @example 'Airports'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /**
   * Up to 2,000 characters
   * @example 'One row an airport'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;

  /** In the order to be shown; none where absent. Up to 500, unless the service is set otherwise. */
  @ApiPropertyOptional({ type: [CreateColumnDto], example: CREATE_COLUMNS_EXAMPLE })
  @MayBeAbsent()
  @IsArray({ message: 'must be an array of columns', context: { code: 'wrong_type' } })
  @ValidateNested({ message: 'must be a column', context: { code: 'wrong_type' } })
  @Type(() => CreateColumnDto)
  columns?: CreateColumnDto[];
}
