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
import { UserEntity } from '../user/user.entity';

/** A passkey of a user, which replaces the password and a second factor. */
@Entity('user_passkeys')
@Unique('user_passkeys_credential', ['credentialId'])
@Index('user_passkeys_user', ['userId'])
export class UserPasskeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'user_passkeys_pkey' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_passkeys_user_id_fkey' })
  user!: UserEntity;

  /** Name by which its user knows it. */
  @Column('text')
  name!: string;

  /** Id that the authenticator has given it, in base64url. */
  @Column('text', { name: 'credential_id' })
  credentialId!: string;

  /** In COSE. */
  @Column('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** Uses that the authenticator has counted; 0 if it does not count. */
  @Column('bigint')
  counter!: number;

  /** How browsers reach the authenticator, such as `usb`. */
  @Column('text', { array: true })
  transports!: string[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}

/** What a challenge was made for. */
export type ChallengePurpose = 'registration' | 'sign_in' | 'proof';

/** A challenge that an authenticator is to sign. Deleted when it is used. */
@Entity('passkey_challenges')
@Index('passkey_challenges_expiry', ['expiresAt'])
export class PasskeyChallengeEntity {
  /** Random, in base64url. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'passkey_challenges_pkey' })
  challenge!: string;

  @Column('text')
  purpose!: ChallengePurpose;

  /** The user who may use it; `null` for a sign-in, when the user is unknown. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
