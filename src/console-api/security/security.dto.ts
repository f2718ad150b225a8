import { IsBoolean } from 'class-validator';
import { MayBeAbsent } from '../../common/validation/text-rules';
import { ProofDto } from '../session/session.dto';

const flag = { message: 'must be true or false', context: { code: 'wrong_type' } };

export class SecurityDto extends ProofDto {
  @MayBeAbsent()
  @IsBoolean(flag)
  requiresSecondFactor?: boolean;

  @MayBeAbsent()
  @IsBoolean(flag)
  requiresProvider?: boolean;
}
