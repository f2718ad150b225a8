import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../common/permission/role';

export class MyKeyDto {
  id!: string;

  /** @example 'Nightly import' */
  name!: string;

  /**
   * RFC 3339, UTC, milliseconds; null for a key that lives until it is revoked
   * @example '2027-02-19T09:30:00.000Z'
   */
  @ApiProperty({ type: String, nullable: true })
  expiresAt!: string | null;
}

export class MyUserDto {
  id!: string;

  /** @example 'ada@example.com' */
  email!: string;
}

export class MyAccountDto {
  id!: string;

  /** @example 'Example Ltd' */
  name!: string;
}

export class MyLimitsDto {
  /**
   * Requests this key may send in one window, over all routes
   * @example 600
   */
  requests!: number;

  /** @example 60 */
  windowSeconds!: number;
}

/** Whose key this is, and what it may do. */
export class MeDto {
  key!: MyKeyDto;
  user!: MyUserDto;
  account!: MyAccountDto;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  limits!: MyLimitsDto;
}
