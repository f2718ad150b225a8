import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm';
import { WorkspaceEntity } from '../../workspaces/workspace.entity';

/** A statement that is saved in a workspace. It is not checked before it runs. */
@Entity('sql_queries')
@Index('sql_queries_name', ['workspaceId', 'nameKey'], { unique: true })
export class SqlQueryEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id', primaryKeyConstraintName: 'sql_queries_pkey' })
  workspaceId!: string;

  @ManyToOne(() => WorkspaceEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'sql_queries_workspace_id_fkey' })
  workspace!: WorkspaceEntity;

  /** UUIDv7: ids sort by creation time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sql_queries_pkey' })
  id!: string;

  @Column('text')
  name!: string;

  /** Case-folded name, unique among the queries of the workspace. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text')
  sql!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Incremented by every change, so that a version never recurs. */
  @Column('integer', { default: 1 })
  version!: number;
}
