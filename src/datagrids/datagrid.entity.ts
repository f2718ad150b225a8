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

  /** Whether writes store the earlier versions of rows. Changes together with the schema version. */
  @Column('boolean', { default: false })
  history!: boolean;

  /**
   * Whether the datagrid may have computed columns. Changes together with the schema version. False
   * only if it has none.
   */
  @Column('boolean', { name: 'has_computed', default: false })
  hasComputed!: boolean;

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

/**
 * Counters of one datagrid, in a narrow row of their own. Every write locks this row first, so that
 * ids, revisions and the row count change in one order without gaps.
 */
@Entity('datagrid_counters')
export class DatagridCounterEntity {
  @PrimaryColumn('uuid', {
    name: 'datagrid_id',
    primaryKeyConstraintName: 'datagrid_counters_pkey',
  })
  datagridId!: string;

  @Column('bigint', { name: 'last_row_id', default: 0 })
  lastRowId!: number;

  @Column('bigint', { name: 'row_count', default: 0 })
  rowCount!: number;

  /** Incremented by every write of rows and of columns, and by a move into or out of the trash. */
  @Column('bigint', { default: 0 })
  revision!: number;

  /**
   * Incremented by every change to how rows are checked, stored or indexed: a change of columns
   * other than of titles, the start or completion of an index, a move into or out of the trash, and a
   * change of `history`. A write passes the version it was checked against.
   */
  @Column('integer', { name: 'schema_version', default: 1 })
  schemaVersion!: number;

  /** No later write of rows gets an earlier time; `null` before the first write. */
  @Column({ type: 'timestamptz', name: 'last_written_at', precision: 3, nullable: true })
  lastWrittenAt!: Date | null;

  /**
   * Ids of the datagrids with columns that link to rows of this one, in ascending order. Those whose
   * columns were removed stay. `null` if there never was one.
   */
  @Column('uuid', { name: 'linked_by', array: true, nullable: true })
  linkedBy!: string[] | null;
}

/** A deleted datagrid whose rows still have to be deleted, in batches. */
@Entity('datagrid_purges')
export class DatagridPurgeEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_purges_pkey' })
  datagridId!: string;

  /**
   * Account whose share the purge uses; `null` if an operator or an earlier release started the
   * purge.
   */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
