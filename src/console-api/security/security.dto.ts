import { IsBoolean } from 'class-validator';
import { PasswordAndCodeDto } from '../session/session.dto';

export class SecurityDto extends PasswordAndCodeDto {
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  requiresSecondFactor!: boolean;
}
