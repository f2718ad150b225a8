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
import type { DeletionMode, DestinationType, FailureKind } from '../destinations/destination';
import type { DestinationColumn } from './sync/destination-columns';

/** What users can request for a table: load it again, compare it, or compare and repair it. */
export const TABLE_REQUESTS = ['reset', 'check', 'repair'] as const;
export type TableRequest = (typeof TABLE_REQUESTS)[number];

/** A destination that receives the rows of a workspace's datagrids. */
@Entity('connections')
@Index('connections_workspace', ['workspaceId', 'id'])
@Index('connections_account', ['accountId'])
export class ConnectionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'connections_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @ManyToOne(() => WorkspaceEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'connections_workspace_id_fkey' })
  workspace!: WorkspaceEntity;

  @Column('text')
  name!: string;

  @Column('text')
  type!: DestinationType;

  /** Settings of the destination without the secret, of the type's own form. */
  @Column('jsonb')
  settings!: Readonly<Record<string, unknown>>;

  /** Secret for the destination (password, key or token), sealed or in clear; `null` if it has none. */
  @Column('bytea', { nullable: true })
  secret!: Buffer | null;

  /** `null` for all datagrids of the workspace, also future ones. */
  @Column('uuid', { name: 'datagrid_ids', array: true, nullable: true })
  datagridIds!: string[] | null;

  @Column('text', { default: 'delete' })
  deletions!: DeletionMode;

  /** Time between two syncs; `null` if changes are synced at once. */
  @Column('integer', { name: 'interval_seconds', nullable: true })
  intervalSeconds!: number | null;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Incremented by every change of a user. */
  @Column('integer', { default: 1 })
  version!: number;
}

/**
 * A table of a destination. What the destination has is stored there. The progress here is a copy of
 * it, for users.
 */
@Entity('connection_tables')
@Index('connection_tables_datagrid', ['datagridId'])
@Index('connection_tables_name', ['connectionId', 'name'], { unique: true })
export class ConnectionTableEntity {
  @PrimaryColumn('uuid', {
    name: 'connection_id',
    primaryKeyConstraintName: 'connection_tables_pkey',
  })
  connectionId!: string;

  @PrimaryColumn('uuid', {
    name: 'datagrid_id',
    primaryKeyConstraintName: 'connection_tables_pkey',
  })
  datagridId!: string;

  @ManyToOne(() => ConnectionEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'connection_id',
    foreignKeyConstraintName: 'connection_tables_connection_id_fkey',
  })
  connection!: ConnectionEntity;

  /**
   * By which the destination finds the state of the table. The same if the datagrid is removed from the
   * connection and added again. See `tableIdOf`.
   */
  @Column('uuid')
  id!: string;

  /** Name in the destination. It can change until the first load begins. */
  @Column('text')
  name!: string;

  /** Ids of the columns to sync; `null` for all, also future ones. */
  @Column('integer', { name: 'column_ids', array: true, nullable: true })
  columnIds!: number[] | null;

  /** Columns of the table in the destination; `null` before the first step of a run. */
  @Column('jsonb', { name: 'destination_columns', nullable: true })
  destinationColumns!: DestinationColumn[] | null;

  /** Revision that the destination has or, during a load, from which it needs changes. */
  @Column('bigint', { nullable: true })
  revision!: number | null;

  /** Rows of the load in progress that the destination has; `null` if no load is in progress. */
  @Column('bigint', { name: 'loaded_rows', nullable: true })
  loadedRows!: number | null;

  /** Time at which the destination had all changes. */
  @Column({ type: 'timestamptz', name: 'synced_at', precision: 3, nullable: true })
  syncedAt!: Date | null;

  /** Whether the last run has left something to do, other than new changes. */
  @Column('boolean', { name: 'has_more', default: true })
  hasMore!: boolean;

  /** Request of a user that no run has served yet. */
  @Column('text', { nullable: true })
  request!: TableRequest | null;

  /** Time of the last complete check, and the number of rows that were different. */
  @Column({ type: 'timestamptz', name: 'checked_at', precision: 3, nullable: true })
  checkedAt!: Date | null;

  @Column('bigint', { name: 'different_rows', nullable: true })
  differentRows!: number | null;

  /** Failed runs since the last successful one. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  /** Time of the last failed run. */
  @Column({ type: 'timestamptz', name: 'last_error_at', precision: 3, nullable: true })
  lastErrorAt!: Date | null;

  @Column('text', { name: 'error_kind', nullable: true })
  errorKind!: FailureKind | null;

  @Column({ type: 'timestamptz', name: 'next_run_at', precision: 3, default: () => 'now()' })
  nextRunAt!: Date;

  /** Incremented whenever a worker claims the table. The destination knows the last one. */
  @Column('bigint', { default: 0 })
  token!: number;

  /** Time until which no other worker claims the table. */
  @Column({ type: 'timestamptz', name: 'leased_until', precision: 3, default: () => 'now()' })
  leasedUntil!: Date;
}

/** A run that has changed a target table, or failed. */
@Entity('connection_runs')
@Index('connection_runs_started', ['startedAt'])
export class ConnectionRunEntity {
  @PrimaryColumn('uuid', {
    name: 'connection_id',
    primaryKeyConstraintName: 'connection_runs_pkey',
  })
  connectionId!: string;

  /** Sorts by time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'connection_runs_pkey' })
  id!: string;

  @ManyToOne(() => ConnectionEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'connection_id',
    foreignKeyConstraintName: 'connection_runs_connection_id_fkey',
  })
  connection!: ConnectionEntity;

  @Column('uuid', { name: 'datagrid_id' })
  datagridId!: string;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3 })
  startedAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', precision: 3 })
  endedAt!: Date;

  /** Rows that were loaded, changed or deleted. */
  @Column('bigint')
  rows!: number;

  /** Bytes that were sent to the destination. */
  @Column('bigint')
  bytes!: number;

  /** Revision that the destination has after the run; `null` if the first load is not complete. */
  @Column('bigint', { nullable: true })
  revision!: number | null;

  @Column('text', { nullable: true })
  error!: string | null;
}
