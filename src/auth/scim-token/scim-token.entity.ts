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
import { AccountEntity } from '../account.entity';

/** A token with which the directory of a company provisions the users of an account by SCIM. */
@Entity('scim_tokens')
@Unique('scim_tokens_hash', ['hash'])
@Index('scim_tokens_account', ['accountId'])
export class ScimTokenEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scim_tokens_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'scim_tokens_account_id_fkey' })
  account!: AccountEntity;

  @Column('text')
  name!: string;

  /** SHA-256 of the token. */
  @Column('bytea')
  hash!: Buffer;

  /** The last 4 characters of the token. */
  @Column('text', { name: 'last_four' })
  lastFour!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Written at most every five minutes. */
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;
}
