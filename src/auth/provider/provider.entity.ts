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

/** Protocols by which providers sign users in. */
export type ProviderKind = 'openid' | 'saml';

/** An identity provider by which users of an account sign in. */
@Entity('identity_providers')
@Index('identity_providers_account', ['accountId'])
// A GIN index of the domains, which TypeORM cannot describe.
@Index('identity_providers_domains', { synchronize: false })
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

  @Column('text', { default: 'openid' })
  kind!: ProviderKind;

  /** Issuer identifier, such as `https://login.example.com/realms/company`; of a SAML provider, its entity ID. */
  @Column('text')
  issuer!: string;

  /** `null` for a SAML provider. */
  @Column('text', { name: 'client_id', nullable: true })
  clientId!: string | null;

  /** Sealed, if the service has a key for it. `null` for a SAML provider. */
  @Column('bytea', { name: 'client_secret', nullable: true })
  clientSecret!: Buffer | null;

  /** URL to which a SAML provider wants requests to be sent; `null` for an OpenID provider. */
  @Column('text', { name: 'sso_url', nullable: true })
  ssoUrl!: string | null;

  /** Certificates with which a SAML provider signs: DER in base64. */
  @Column('text', { array: true, default: '{}' })
  certificates!: string[];

  /** Role of users who sign in for the first time; `null` if only invited users may. */
  @Column('text', { name: 'new_user_role', nullable: true })
  newUserRole!: Role | null;

  /** Domains of the email addresses of people who are offered the provider, and of users who are created. */
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

  /** `sub` or NameID of the person. It never changes, unlike the email address. */
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

/** Who signs in according to a SAML response, or the public reason why nobody does. */
export type SignInOutcome =
  | {
      readonly subject: string;
      readonly email: string | null;
      /** ISO 8601; absent if the provider does not say. */
      readonly sessionEndsAt?: string;
    }
  | { readonly problem: string };

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

  /** Part of the ID of a request to a SAML provider. */
  @Column('text')
  nonce!: string;

  /** Code verifier of PKCE. */
  @Column('text')
  verifier!: string;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;

  /** SHA-256 of the code of a browser that has brought a SAML response; `null` before that. */
  @Column('bytea', { name: 'code_hash', nullable: true })
  codeHash!: Buffer | null;

  /** What that response says. */
  @Column('jsonb', { nullable: true })
  outcome!: SignInOutcome | null;
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
