import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDescription, IsName, MayBeAbsent } from '../../common/validation/text-rules';

/** What is absent stays as it is. */
export class UpdateDatagridDto {
  /**
   * 1 to 200 characters after trimming, unique in the workspace, ignoring case
   * @example 'Airports'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  name?: string;

  /**
   * Up to 2,000 characters
   * @example 'One row an airport'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;
}
