import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm';
import { AccountEntity } from '../auth/account.entity';

@Entity('workspaces')
@Index('workspaces_name', ['accountId', 'nameKey'], { unique: true, where: 'deleted_at IS NULL' })
@Index('workspaces_account', ['accountId', 'id'])
@Index('workspaces_trash', ['accountId', 'deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Index('workspaces_expiry', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
export class WorkspaceEntity {
  /** UUIDv7: ids sort by creation time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workspaces_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'workspaces_account_id_fkey' })
  account!: AccountEntity;

  @Column('text')
  name!: string;

  /** Case-folded name, unique among the account's workspaces that are not in the trash. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text', { default: '' })
  description!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Incremented by every change, so that a version never recurs. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Time of the move into the trash; `null` if the workspace is not in the trash. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
