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
import { WorkspaceEntity } from '../workspaces/workspace.entity';

/** A typed sheet. Its numbers stand apart, in `datagrid_counters`. */
@Entity('datagrids')
@Unique('datagrids_name', ['workspaceId', 'nameKey'])
@Index('datagrids_workspace', ['workspaceId', 'id'])
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

  /** The folded name: unique in the workspace, ignoring case. */
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
}
