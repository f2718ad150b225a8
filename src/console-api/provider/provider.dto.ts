import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsFQDN,
  IsIn,
  IsString,
  IsUrl,
  Length,
  ValidateIf,
} from 'class-validator';
import { ROLES, type Role } from '../../common/permission/permission';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { ProofDto } from '../session/session.dto';
import { oneOfRoles } from '../user/user.dto';

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

/** Roles of new users. Only an owner makes another one. */
const NEW_USER_ROLES = ROLES.filter((role) => role !== 'owner');

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

export class CreateProviderDto extends ProviderDto {
  @IsName()
  name!: string;

  @IsUrl(
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

export class UpdateProviderDto extends ProviderDto {
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
