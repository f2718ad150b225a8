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

/**
 * A member of one account. A person may be a user of several accounts, with the same email address
 * in each.
 */
@Entity('users')
@Unique('users_email', ['emailKey', 'accountId'])
@Index('users_account', ['accountId'])
export class UserEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'users_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'users_account_id_fkey' })
  account!: AccountEntity;

  @Column('text')
  email!: string;

  /** Case-folded email address: addresses that differ only in case are equal. */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  @Column('text')
  role!: Role;

  @Column('boolean', { default: false })
  suspended!: boolean;

  /** Whether the directory of the account has suspended the user, and so may let them in again. */
  @Column('boolean', { name: 'suspended_by_directory', default: false })
  suspendedByDirectory!: boolean;

  /** Whether this is a service account: it has keys, but nobody can sign in as it. */
  @Column('boolean', { name: 'is_service', default: false })
  isService!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
