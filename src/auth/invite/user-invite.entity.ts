import {
  Column,
  CreateDateColumn,
  Entity,
  JoinColumn,
  OneToOne,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { UserEntity } from '../user/user.entity';

/** The only link with which a user may set a password. Deleted once it is used. */
@Entity('user_invites')
@Unique('user_invites_token', ['tokenHash'])
export class UserInviteEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_invites_pkey' })
  userId!: string;

  @OneToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_invites_user_id_fkey' })
  user!: UserEntity;

  /** SHA-256 of the link's token. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt!: Date;
}
