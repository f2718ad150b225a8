import { IsIn, Matches } from 'class-validator';
import { SERVICE_NAME, SERVICE_NAME_RULE } from '../../auth/user/user.service';
import { type Role, SERVICE_ROLES } from '../../common/permission/permission';
import { oneOfRoles } from '../user/user.dto';

/** A service account: a user whose keys do not depend on a person. */
export class CreateServiceAccountDto {
  @Matches(SERVICE_NAME, { message: SERVICE_NAME_RULE, context: { code: 'invalid_format' } })
  name!: string;

  @IsIn(SERVICE_ROLES, oneOfRoles(SERVICE_ROLES))
  role!: Role;
}
