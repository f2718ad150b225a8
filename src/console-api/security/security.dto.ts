import { IsBoolean } from 'class-validator';
import { ProofDto } from '../session/session.dto';

export class SecurityDto extends ProofDto {
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  requiresSecondFactor!: boolean;
}
