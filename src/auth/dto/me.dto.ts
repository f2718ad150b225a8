import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../common/permission/permission';

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

  /** Current role of the owner. It determines the permissions of the key. */
  @ApiProperty({ enum: ROLES, example: 'editor' })
  role!: Role;

  /** Rate limits of the key and of its account. */
  @ApiProperty()
  limits!: CurrentLimitsDto;
}
