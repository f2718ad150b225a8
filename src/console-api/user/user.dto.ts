import { IsBoolean, IsIn, IsString } from 'class-validator';
import { ROLES, type Role } from '../../common/permission/permission';
import { MayBeAbsent } from '../../common/validation/text-rules';

const oneOfRoles = {
  message: `must be one of ${ROLES.join(', ')}`,
  context: { code: 'not_a_choice' },
};
const text = { message: 'must be a string', context: { code: 'wrong_type' } };
const flag = { message: 'must be true or false', context: { code: 'wrong_type' } };

export class CreateUserDto {
  @IsString(text)
  email!: string;

  @IsIn(ROLES, oneOfRoles)
  role!: Role;
}

/** Changes of a user. Absent properties do not change. */
export class UpdateUserDto {
  @MayBeAbsent()
  @IsIn(ROLES, oneOfRoles)
  role?: Role;

  @MayBeAbsent()
  @IsBoolean(flag)
  suspended?: boolean;
}
