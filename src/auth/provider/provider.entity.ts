import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import type { Role } from '../../common/permission/permission';
import { AccountEntity } from '../account.entity';
import { UserEntity } from '../user/user.entity';
import type { GroupRole } from './group-role';

/** An OpenID provider by which users of an account sign in. */
@Entity('identity_providers')
@Index('identity_providers_account', ['accountId'])
export class IdentityProviderEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'identity_providers_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({
    name: 'account_id',
    foreignKeyConstraintName: 'identity_providers_account_id_fkey',
  })
  account!: AccountEntity;

  /** Shown on the button of the sign-in page. */
  @Column('text')
  name!: string;

  /** Issuer identifier, such as `https://login.example.com/realms/company`. */
  @Column('text')
  issuer!: string;

  @Column('text', { name: 'client_id' })
  clientId!: string;

  /** Sealed, if the service has a key for it. */
  @Column('bytea', { name: 'client_secret' })
  clientSecret!: Buffer;

  /** Role of users who sign in for the first time; `null` if only invited users may. */
  @Column('text', { name: 'new_user_role', nullable: true })
  newUserRole!: Role | null;

  /** Domains of the email addresses of people who are offered the provider, and of users who are created; folded. */
  @Column('text', { name: 'new_user_domains', array: true })
  newUserDomains!: string[];

  /** Whether email addresses count as verified that the provider does not say are. */
  @Column('boolean', { name: 'trusts_email' })
  trustsEmail!: boolean;

  /** Claim of the ID token with the groups of a person. */
  @Column('text', { name: 'groups_claim', default: 'groups' })
  groupsClaim!: string;

  /** Roles that groups of the provider give at each sign-in. */
  @Column('jsonb', { name: 'group_roles', default: [] })
  groupRoles!: GroupRole[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** The user of an account who is a person of a provider. */
@Entity('user_identities')
@Unique('user_identities_user', ['userId', 'providerId'])
export class UserIdentityEntity {
  @PrimaryColumn('uuid', {
    name: 'provider_id',
    primaryKeyConstraintName: 'user_identities_pkey',
  })
  providerId!: string;

  @ManyToOne(() => IdentityProviderEntity)
  @JoinColumn({
    name: 'provider_id',
    foreignKeyConstraintName: 'user_identities_provider_id_fkey',
  })
  provider!: IdentityProviderEntity;

  /** `sub` of the person. It never changes, unlike the email address. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_identities_pkey' })
  subject!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_identities_user_id_fkey' })
  user!: UserEntity;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** A sign-in that has gone to a provider. Deleted when it comes back. */
@Entity('provider_sign_ins')
@Index('provider_sign_ins_expiry', ['expiresAt'])
export class ProviderSignInEntity {
  /** SHA-256 of the state. */
  @PrimaryColumn('bytea', {
    name: 'state_hash',
    primaryKeyConstraintName: 'provider_sign_ins_pkey',
  })
  stateHash!: Buffer;

  @Column('uuid', { name: 'provider_id' })
  providerId!: string;

  /** SHA-256 of the token in a cookie of the browser, so that no other browser completes the sign-in. */
  @Column('bytea', { name: 'browser_hash' })
  browserHash!: Buffer;

  @Column('text')
  nonce!: string;

  /** Code verifier of PKCE. */
  @Column('text')
  verifier!: string;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}

/** A logout that a provider has reported: the id of its token, or the session at the provider that has ended. */
@Entity('provider_logouts')
@Index('provider_logouts_expiry', ['expiresAt'])
export class ProviderLogoutEntity {
  @PrimaryColumn('uuid', {
    name: 'provider_id',
    primaryKeyConstraintName: 'provider_logouts_pkey',
  })
  providerId!: string;

  /** SHA-256 of the id. */
  @PrimaryColumn('bytea', { name: 'key_hash', primaryKeyConstraintName: 'provider_logouts_pkey' })
  keyHash!: Buffer;

  /** Afterwards, the token is too old, and no sign-in is on its way. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
