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
import type { Role } from '../../common/permission/role';
import { AccountEntity } from '../account/account.entity';

/** A person of one account. The same person may be a user of several: the address names them in each. */
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

  /** The folded address: two that differ in case only are one. */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  @Column('text')
  role!: Role;

  @Column('boolean', { default: false })
  suspended!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
