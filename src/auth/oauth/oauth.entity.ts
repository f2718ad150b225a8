import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { ApiKeyEntity } from '../api-key/api-key.entity';
import { UserEntity } from '../user/user.entity';

/** An application that has registered itself. Deleted some time after nobody uses it any more. */
@Entity('oauth_clients')
@Index('oauth_clients_expiry', ['expiresAt'])
export class OauthClientEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'oauth_clients_pkey' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'redirect_uris', array: true })
  redirectUris!: string[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** A fixed time after the last grant ends, or after the registration if there is none. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}

/**
 * What a user has authorized an application to do. Its name, access, last use and revocation are those of
 * the key with the same id, whose hash is that of the access token.
 */
@Entity('oauth_grants')
@Unique('oauth_grants_code', ['codeHash'])
@Unique('oauth_grants_family', ['familyHash'])
@Index('oauth_grants_user', ['userId'])
@Index('oauth_grants_client', ['clientId'])
export class OauthGrantEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'oauth_grants_pkey' })
  id!: string;

  @OneToOne(() => ApiKeyEntity)
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'oauth_grants_id_fkey' })
  key!: ApiKeyEntity;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'oauth_grants_user_id_fkey' })
  user!: UserEntity;

  /** Id of an `OauthClientEntity`, or URL of a metadata document. */
  @Column('text', { name: 'client_id' })
  clientId!: string;

  /** Host of the metadata document. `null` for a registered application, which may be any. */
  @Column('text', { name: 'document_host', nullable: true })
  documentHost!: string | null;

  @Column('text', { name: 'redirect_uri' })
  redirectUri!: string;

  /** Resource indicator, such as `https://data.example.com/mcp`. */
  @Column('text')
  resource!: string;

  /** SHA-256 of the authorization code. Kept, to notice a second use. */
  @Column('bytea', { name: 'code_hash' })
  codeHash!: Buffer;

  /** SHA-256 of the code verifier of PKCE, as base64url. */
  @Column('text', { name: 'code_challenge' })
  codeChallenge!: string;

  @Column({ type: 'timestamptz', name: 'code_expires_at', precision: 3 })
  codeExpiresAt!: Date;

  @Column({ type: 'timestamptz', name: 'code_used_at', precision: 3, nullable: true })
  codeUsedAt!: Date | null;

  /** SHA-256 of the part that all refresh tokens of the grant share. */
  @Column('bytea', { name: 'family_hash', nullable: true })
  familyHash!: Buffer | null;

  /** SHA-256 of the part of the current refresh token that is its own. */
  @Column('bytea', { name: 'refresh_hash', nullable: true })
  refreshHash!: Buffer | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Expiry of the grant. The access token expires earlier. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
