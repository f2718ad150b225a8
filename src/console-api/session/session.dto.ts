import { IsObject, IsString, MaxLength, ValidateBy } from 'class-validator';
import type { PasskeyResponse } from '../../auth/factor/passkey.service';
import { codePointLength } from '../../common/text/id';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';

const [MIN_LENGTH, MAX_LENGTH] = [10, 200];
const MESSAGE = `must be a string of ${String(MIN_LENGTH)} to ${String(MAX_LENGTH)} characters`;

const isLongEnough = (value: unknown): boolean => {
  if (typeof value !== 'string') return false;
  const length = codePointLength(value);
  return length >= MIN_LENGTH && length <= MAX_LENGTH;
};

/** Validates a new password: 10 to 200 characters (code points) of any kind. */
const IsPassword = (): PropertyDecorator =>
  ValidateBy(
    { name: 'password', validator: { validate: isLongEnough, defaultMessage: () => MESSAGE } },
    { context: { code: 'out_of_range' } },
  );

const MAX_EMAIL_LENGTH = 320;
const MAX_CODE_LENGTH = 40;
const text = { message: 'must be a string', context: { code: 'wrong_type' } };
const short = { message: 'is too long', context: { code: 'out_of_range' } };

export class SignInDto {
  @MaxLength(MAX_EMAIL_LENGTH, short)
  @IsString(text)
  email!: string;

  /** Password of any length. Its format is checked only when a password is set. */
  @IsString(text)
  password!: string;

  /** ID of the account. Required if the password matches users of several accounts. */
  @MayBeAbsent()
  @IsString(text)
  accountId?: string;

  /** Code of the authenticator app, or a recovery code. Required if the user has a second factor. */
  @MayBeAbsent()
  @MaxLength(MAX_CODE_LENGTH, short)
  @IsString(text)
  code?: string;
}

/** Body of a request that a code of the authenticator app, or a recovery code, allows. */
export class CodeDto {
  @MaxLength(MAX_CODE_LENGTH, short)
  @IsString(text)
  code!: string;
}

const object = { message: 'must be an object', context: { code: 'wrong_type' } };

/**
 * Body of a request that a session alone does not allow: the password, with a code if sign-ins ask for one; or
 * a passkey.
 */
export class ProofDto {
  @MayBeAbsent()
  @IsString(text)
  currentPassword?: string;

  @MayBeAbsent()
  @MaxLength(MAX_CODE_LENGTH, short)
  @IsString(text)
  code?: string;

  /** Response of the browser to a challenge of `POST /factors/challenge`. */
  @MayBeAbsent()
  @IsObject(object)
  passkey?: PasskeyResponse;
}

/** Response of the browser to a challenge. */
export class PasskeyDto {
  @IsObject(object)
  passkey!: PasskeyResponse;
}

export class NewPasskeyDto extends PasskeyDto {
  @IsName()
  name!: string;
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
