import { IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../../common/validation/text-rules';
import { IsPassword } from './password-rule';

const MAX_EMAIL_LENGTH = 320;
const text = { message: 'must be a string', context: { code: 'wrong_type' } };
const short = { message: 'is too long', context: { code: 'out_of_range' } };

export class SignInDto {
  @MaxLength(MAX_EMAIL_LENGTH, short)
  @IsString(text)
  email!: string;

  /** Of any length: what a password may be is asked where one is set. */
  @IsString(text)
  password!: string;

  /** Which account, if the password is that of users of several. */
  @MayBeAbsent()
  @IsString(text)
  accountId?: string;
}

export class NewPasswordDto {
  @IsPassword()
  password!: string;
}

export class ChangePasswordDto {
  @IsString(text)
  currentPassword!: string;

  @IsPassword()
  newPassword!: string;
}
