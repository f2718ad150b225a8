import { IsBoolean, IsIn, IsString, ValidateBy, type ValidationOptions } from 'class-validator';
import type { WorkspaceGrant } from '../../auth/user/workspace-role.repository';
import { ROLES, type Role, WORKSPACE_ROLES } from '../../common/permission/permission';
import { isUuid } from '../../common/text/id';
import { MayBeAbsent } from '../../common/validation/text-rules';

/** The list of users contains the roles of all of them. */
const MAX_WORKSPACE_ROLES = 50;

/** Options of a validator of roles. */
export const oneOfRoles = (roles: readonly Role[]): ValidationOptions => ({
  message: `must be one of ${roles.join(', ')}`,
  context: { code: 'not_a_choice' },
});
const text = { message: 'must be a string', context: { code: 'wrong_type' } };
const flag = { message: 'must be true or false', context: { code: 'wrong_type' } };

/** Validates a list of workspaces, each once, with a role. */
export const IsWorkspaceRoles = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'workspaceRoles',
      validator: {
        validate: (value) =>
          Array.isArray(value) &&
          value.length <= MAX_WORKSPACE_ROLES &&
          value.every(isGrant) &&
          new Set(value.map(({ workspaceId }) => workspaceId.toLowerCase())).size === value.length,
        defaultMessage: () =>
          `must be a list of up to ${String(MAX_WORKSPACE_ROLES)} objects, each with a different workspaceId and one of the roles ${WORKSPACE_ROLES.join(', ')}`,
      },
    },
    { context: { code: 'invalid_format' } },
  );

function isGrant(value: unknown): value is WorkspaceGrant {
  if (typeof value !== 'object' || value === null) return false;
  const { workspaceId, role, ...others } = value as Record<string, unknown>;
  return (
    typeof workspaceId === 'string' &&
    isUuid(workspaceId) &&
    (WORKSPACE_ROLES as readonly unknown[]).includes(role) &&
    Object.keys(others).length === 0
  );
}

export class CreateUserDto {
  @IsString(text)
  email!: string;

  @IsIn(ROLES, oneOfRoles(ROLES))
  role!: Role;
}

/** Changes of a user. Absent properties do not change. */
export class UpdateUserDto {
  @MayBeAbsent()
  @IsIn(ROLES, oneOfRoles(ROLES))
  role?: Role;

  @MayBeAbsent()
  @IsBoolean(flag)
  suspended?: boolean;

  /** Replaces all roles in single workspaces. */
  @MayBeAbsent()
  @IsWorkspaceRoles()
  workspaceRoles?: WorkspaceGrant[];
}
