import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../common/permission/role';

export class MyKeyDto {
  /** @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b01' */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'Nightly import' */
  @ApiProperty()
  name!: string;

  /**
   * RFC 3339, UTC, milliseconds; null for a key that lives until it is revoked
   * @example '2027-02-19T09:30:00.000Z'
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;
}

export class MyUserDto {
  /** @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02' */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'ada@example.com' */
  @ApiProperty({ format: 'email' })
  email!: string;
}

export class MyAccountDto {
  /** @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b03' */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'Example Ltd' */
  @ApiProperty()
  name!: string;
}

export class MyLimitsDto {
  /**
   * Requests this key may send in one window, over all routes
   * @example 600
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  requests!: number;

  /**
   * Requests all keys and users of the account may send together in one window
   * @example 6000
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  accountRequests!: number;

  /**
   * How long the window is
   * @example 60
   */
  @ApiProperty({ type: 'integer', minimum: 1 })
  windowSeconds!: number;
}

/** Whose key this is, and what it may do. */
export class MeDto {
  @ApiProperty()
  key!: MyKeyDto;
  @ApiProperty()
  user!: MyUserDto;
  @ApiProperty()
  account!: MyAccountDto;

  /** What the key's owner may do now */
  @ApiProperty({ enum: ROLES, example: 'editor' })
  role!: Role;

  @ApiProperty()
  limits!: MyLimitsDto;
}
