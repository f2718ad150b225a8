import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDescription, IsName, MayBeAbsent } from '../../common/validation/text-rules';

/** What is absent stays as it is. */
export class UpdateWorkspaceDto {
  /**
   * 1 to 200 characters after trimming, unique in the account, ignoring case
   * @example 'Logistics'
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: 200 })
  @MayBeAbsent()
  @IsName()
  name?: string;

  /**
   * Up to 2,000 characters
   * @example 'Everything that flies'
   */
  @ApiPropertyOptional({ maxLength: 2000 })
  @MayBeAbsent()
  @IsDescription()
  description?: string;
}
