import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm';
import { WorkspaceEntity } from '../workspaces/workspace.entity';

/** A typed sheet. Its numbers stand apart, in `datagrid_counters`. */
@Entity('datagrids')
@Index('datagrids_name', ['workspaceId', 'nameKey'], { unique: true, where: 'deleted_at IS NULL' })
@Index('datagrids_workspace', ['workspaceId', 'id'])
@Index('datagrids_trash', ['accountId', 'deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Index('datagrids_expiry', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
export class DatagridEntity {
  /** UUIDv7: ids sort as they were made. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'datagrids_pkey' })
  id!: string;

  /** The workspace's account, kept here too: every request asks whose datagrid this is. */
  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @ManyToOne(() => WorkspaceEntity)
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'datagrids_workspace_id_fkey' })
  workspace!: WorkspaceEntity;

  @Column('text')
  name!: string;

  /** The folded name: unique among the workspace's living datagrids, ignoring case. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text', { default: '' })
  description!: string;

  /**
   * Whether `rows.values` may be given out as it stands. False once a column was removed that
   * rows may hold values of: these stay in the rows, and the slots of the living columns must be
   * picked out.
   */
  @Column('boolean', { name: 'plain_values', default: true })
  plainValues!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Raised by every change: a version that has been left never comes back. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Since when it has been in the trash; `null` while it lives. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;

  /** The workspace whose deletion took it along; `null` where it was deleted by itself. */
  @Column('uuid', { name: 'deleted_with', nullable: true })
  deletedWith!: string | null;
}
