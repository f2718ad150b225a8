import { IsIn, IsRFC3339, ValidateIf } from 'class-validator';
import type { WorkspaceGrant } from '../../auth/user/workspace-role.repository';
import { ROLES, type Role } from '../../common/permission/permission';
import { IsName } from '../../common/validation/text-rules';
import { ProofDto } from '../session/session.dto';
import { IsWorkspaceRoles, oneOfRoles } from '../user/user.dto';

const time = { message: 'must be an RFC 3339 timestamp', context: { code: 'invalid_format' } };

export class CreateScimTokenDto extends ProofDto {
  @IsName()
  name!: string;

  /** Time at which the token expires, as RFC 3339, at most a year from now. If `null` or absent, it never expires. */
  @ValidateIf((_object, value: unknown) => value !== undefined && value !== null)
  @IsRFC3339(time)
  expiresAt?: string | null;
}

/** Roles that a group can give. Only an owner makes another one. */
const GROUP_ROLES = ROLES.filter((role) => role !== 'owner');

export class MapGroupDto {
  /** Role of the members in the account; `null` for none. */
  @ValidateIf((_object, value: unknown) => value !== null)
  @IsIn(GROUP_ROLES, oneOfRoles(GROUP_ROLES))
  role!: Role | null;

  /** Roles of the members in single workspaces. */
  @IsWorkspaceRoles()
  workspaceRoles!: WorkspaceGrant[];
}
