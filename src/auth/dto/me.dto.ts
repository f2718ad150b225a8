import { ApiProperty } from '@nestjs/swagger';
import {
  ROLES,
  type Role,
  WORKSPACE_ROLES,
  type WorkspaceRole,
} from '../../common/permission/permission';
import { type Scope, SCOPES } from '../../common/permission/scope';
import { MAX_KEY_TARGETS } from '../api-key/key-access';

const UUID = { type: 'string', format: 'uuid' };

/** API key of the request. */
export class CurrentKeyDto {
  /**
   * ID of the key.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b01'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Name of the key.
   * @example 'Nightly import'
   */
  @ApiProperty()
  name!: string;

  /**
   * Time at which the key expires. `null` if it is valid until it is revoked.
   * @example '2027-02-19T09:30:00.000Z'
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  /**
   * Scopes of the key: permissions that it is limited to. `null` if it has all permissions of its
   * owner's role.
   * @example ['rows:read']
   */
  @ApiProperty({ enum: SCOPES, enumName: 'Scope', isArray: true, nullable: true })
  scopes!: readonly Scope[] | null;

  /**
   * IDs of the workspaces that the key is limited to. If this and `datagridIds` are `null`, the key
   * is not limited.
   * @example ['019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b04']
   */
  @ApiProperty({ type: 'array', items: UUID, nullable: true, maxItems: MAX_KEY_TARGETS })
  workspaceIds!: readonly string[] | null;

  /**
   * IDs of the datagrids that the key is limited to, beside those of `workspaceIds`.
   * @example ['019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b05']
   */
  @ApiProperty({ type: 'array', items: UUID, nullable: true, maxItems: MAX_KEY_TARGETS })
  datagridIds!: readonly string[] | null;
}

/** Owner of the key. */
export class CurrentUserDto {
  /**
   * ID of the user.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Email address of the user.
   * @example 'ada@example.com'
   */
  @ApiProperty({ format: 'email' })
  email!: string;
}

/** Account of the key's owner. */
export class CurrentAccountDto {
  /**
   * ID of the account.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b03'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Name of the account.
   * @example 'Example Ltd'
   */
  @ApiProperty()
  name!: string;
}

/** Rate limits of the key and of its account. */
export class CurrentLimitsDto {
  /**
   * Requests that this key can send in one window, over all routes.
   * @example 600
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  requests!: number;

  /**
   * Requests that all keys and users of the account can send in total in one window.
   * @example 6000
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  accountRequests!: number;

  /**
   * Length of the window in seconds.
   * @example 60
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  windowSeconds!: number;
}

/** Role of the key's owner in one workspace. */
export class CurrentWorkspaceRoleDto {
  /**
   * ID of the workspace.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b04'
   */
  @ApiProperty({ format: 'uuid' })
  workspaceId!: string;

  /** Role in the workspace. It applies if it is higher than the role in the account. */
  @ApiProperty({ enum: WORKSPACE_ROLES, example: 'editor' })
  role!: WorkspaceRole;
}

/** API key of the request with its owner, role and limits. */
export class MeDto {
  /** API key of the request. */
  @ApiProperty()
  key!: CurrentKeyDto;

  /** Owner of the key. */
  @ApiProperty()
  user!: CurrentUserDto;

  /** Account of the owner. */
  @ApiProperty()
  account!: CurrentAccountDto;

  /** Current role of the owner in the account. In a workspace of `workspaceRoles`, the higher role applies. */
  @ApiProperty({ enum: ROLES, example: 'editor' })
  role!: Role;

  /** Roles of the owner in single workspaces. */
  @ApiProperty({ type: [CurrentWorkspaceRoleDto] })
  workspaceRoles!: readonly CurrentWorkspaceRoleDto[];

  /** Rate limits of the key and of its account. */
  @ApiProperty()
  limits!: CurrentLimitsDto;
}
