import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsFQDN,
  IsIn,
  IsString,
  IsUrl,
  Length,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import type { GroupRole } from '../../auth/provider/group-role';
import { isWebUrl } from '../../auth/provider/saml-metadata';
import { ROLES, type Role, WORKSPACE_ROLES } from '../../common/permission/permission';
import { isUuid } from '../../common/text/id';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { ProofDto } from '../session/session.dto';
import { oneOfRoles } from '../user/user.dto';

type IsUrlOptions = Parameters<typeof IsUrl>[0];

const flag = { message: 'must be true or false', context: { code: 'wrong_type' } };
const domains = {
  message: 'must be a list of up to 50 domains, such as example.com',
  context: { code: 'invalid_format' },
};
const text = { message: 'must be a string', context: { code: 'wrong_type' } };
const url = {
  message: 'must be a URL with https or http, without user, query and fragment',
  context: { code: 'invalid_format' },
};

/** A string of 1 to 1,000 characters. */
export const IsShort = (): PropertyDecorator => (target, property) => {
  const range = { message: 'must have 1 to 1000 characters', context: { code: 'out_of_range' } };
  IsString(text)(target, property);
  Length(1, 1_000, range)(target, property);
};

/** A URL that can be parsed: the library alone would accept hosts such as `a.0x4`. */
export const IsParsedUrl =
  (options: IsUrlOptions, rule: typeof url): PropertyDecorator =>
  (target, property) => {
    IsUrl(options, rule)(target, property);
    const validate = (value: unknown): boolean => typeof value === 'string' && isWebUrl(value);
    ValidateBy({ name: 'isParsedUrl', validator: { validate } }, rule)(target, property);
  };

/** Roles of new users. Only an owner makes another one. */
const NEW_USER_ROLES = ROLES.filter((role) => role !== 'owner');

const MAX_GROUP_ROLES = 100;

/** Validates a list of groups with a role in the account, or in one workspace. */
const IsGroupRoles = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'groupRoles',
      validator: {
        validate: (value) =>
          Array.isArray(value) && value.length <= MAX_GROUP_ROLES && value.every(isGroupRole),
        defaultMessage: () =>
          `must be a list of up to ${String(MAX_GROUP_ROLES)} objects with group, role (${NEW_USER_ROLES.join(', ')}) and, for a role in one workspace, workspaceId`,
      },
    },
    { context: { code: 'invalid_format' } },
  );

function isGroupRole(value: unknown): value is GroupRole {
  if (typeof value !== 'object' || value === null) return false;
  const { group, role, workspaceId, ...others } = value as Record<string, unknown>;
  const roles: readonly unknown[] = workspaceId === undefined ? NEW_USER_ROLES : WORKSPACE_ROLES;
  return (
    typeof group === 'string' &&
    group.length > 0 &&
    group.length <= 1_000 &&
    !group.includes('\0') &&
    roles.includes(role) &&
    (workspaceId === undefined || (typeof workspaceId === 'string' && isUuid(workspaceId))) &&
    Object.keys(others).length === 0
  );
}

/** Rules of a provider of either kind. */
export class ProviderDto extends ProofDto {
  @MayBeAbsent()
  @ValidateIf((_object, value: unknown) => value !== null)
  @IsIn(NEW_USER_ROLES, oneOfRoles(NEW_USER_ROLES))
  newUserRole?: Role | null;

  /** Domains of the email addresses of new users, such as `example.com`. */
  @MayBeAbsent()
  @IsArray(domains)
  @ArrayMaxSize(50, domains)
  @IsFQDN({}, { each: true, ...domains })
  newUserDomains?: string[];

  @MayBeAbsent()
  @IsBoolean(flag)
  trustsEmail?: boolean;
}

class OpenidProviderDto extends ProviderDto {
  /** Claim with the groups of a person. The default is `groups`. */
  @MayBeAbsent()
  @IsShort()
  groupsClaim?: string;

  @MayBeAbsent()
  @IsGroupRoles()
  groupRoles?: GroupRole[];
}

export class CreateProviderDto extends OpenidProviderDto {
  @IsName()
  name!: string;

  @IsParsedUrl(
    {
      protocols: ['https', 'http'],
      require_tld: false,
      require_protocol: true,
      allow_query_components: false,
      allow_fragments: false,
      disallow_auth: true,
    },
    url,
  )
  issuer!: string;

  @IsShort()
  clientId!: string;

  @IsShort()
  clientSecret!: string;
}

export class UpdateProviderDto extends OpenidProviderDto {
  @MayBeAbsent()
  @IsName()
  name?: string;

  @MayBeAbsent()
  @IsShort()
  clientId?: string;

  @MayBeAbsent()
  @IsShort()
  clientSecret?: string;
}

/** Where the provider sent the browser. */
export class ProviderResponseDto {
  /** Query of the URL, with `code` and `state`. */
  @IsShortQuery()
  query!: string;
}

function IsShortQuery(): PropertyDecorator {
  return (target, property) => {
    const range = {
      message: 'must have up to 10000 characters',
      context: { code: 'out_of_range' },
    };
    IsString(text)(target, property);
    Length(0, 10_000, range)(target, property);
  };
}

/** Who looks for a provider. */
export class ProviderSearchDto {
  @IsEmail({}, { message: 'must be a valid email address', context: { code: 'invalid_format' } })
  email!: string;
}
