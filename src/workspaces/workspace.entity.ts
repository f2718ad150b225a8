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
import { AccountEntity } from '../auth/account/account.entity';

@Entity('workspaces')
@Unique('workspaces_name', ['accountId', 'nameKey'])
@Index('workspaces_account', ['accountId', 'id'])
export class WorkspaceEntity {
  /** UUIDv7: ids sort as they were made. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workspaces_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'workspaces_account_id_fkey' })
  account!: AccountEntity;

  @Column('text')
  name!: string;

  /** The folded name: unique in the account, ignoring case. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text', { default: '' })
  description!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
