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

/** A session of a user who is signed in to the console. Deleted when it ends. */
@Entity('sessions')
@Unique('sessions_token', ['tokenHash'])
@Index('sessions_user', ['userId'])
@Index('sessions_provider', ['providerId', 'providerSessionId'])
export class SessionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sessions_pkey' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'sessions_user_id_fkey' })
  user!: UserEntity;

  /** SHA-256 of the cookie's token. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** Provider that confirmed the user; `null` if the service did. */
  @Column('uuid', { name: 'provider_id', nullable: true })
  providerId!: string | null;

  /** Session at the provider, if it said which one. */
  @Column('text', { name: 'provider_session_id', nullable: true })
  providerSessionId!: string | null;

  /** User agent of the browser, shortened. */
  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null;

  /** Client address of the sign-in. */
  @Column('text', { nullable: true })
  address!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Written at most every five minutes. */
  @CreateDateColumn({ name: 'last_used_at', type: 'timestamptz', precision: 3 })
  lastUsedAt!: Date;

  /** Fixed at sign-in. Use does not extend it. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
