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

/** A typed table. Its counters are stored in `datagrid_counters`. */
@Entity('datagrids')
@Index('datagrids_name', ['workspaceId', 'nameKey'], { unique: true, where: 'deleted_at IS NULL' })
@Index('datagrids_workspace', ['workspaceId', 'id'])
@Index('datagrids_trash', ['accountId', 'deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Index('datagrids_expiry', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
export class DatagridEntity {
  /** UUIDv7: ids sort by creation time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'datagrids_pkey' })
  id!: string;

  /**
   * Account of the workspace. Duplicated here because every request checks who owns the datagrid.
   */
  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @ManyToOne(() => WorkspaceEntity)
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'datagrids_workspace_id_fkey' })
  workspace!: WorkspaceEntity;

  @Column('text')
  name!: string;

  /** Case-folded name, unique among the workspace's datagrids that are not in the trash. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text', { default: '' })
  description!: string;

  /**
   * Whether `rows.values` may be returned as stored. False once a column was removed that rows may
   * have values of. These values stay in the rows, so the slots of the remaining columns must be
   * selected.
   */
  @Column('boolean', { name: 'plain_values', default: true })
  plainValues!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Incremented by every change, so that a version never recurs. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Time of the move into the trash; `null` if the datagrid is not in the trash. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;

  /** Workspace with which it was deleted; `null` if it was deleted on its own. */
  @Column('uuid', { name: 'deleted_with', nullable: true })
  deletedWith!: string | null;
}
