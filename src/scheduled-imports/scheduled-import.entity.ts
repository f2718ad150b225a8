import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm';
import type { RejectedLine } from '../imports/job/import.entity';
import { ConnectionEntity } from '../connections/connection.entity';
import type { FailureKind } from '../destinations/destination';

/** What happens to rows of the datagrid whose key is not in the result. */
export const MISSING_ROWS = ['keep', 'delete'] as const;
export type MissingRows = (typeof MISSING_ROWS)[number];

/** A query or a table of a connection that is read into a datagrid, on a schedule or on demand. */
@Entity('scheduled_imports')
@Index('scheduled_imports_connection', ['connectionId', 'id'])
export class ScheduledImportEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scheduled_imports_pkey' })
  id!: string;

  @Column('uuid', { name: 'connection_id' })
  connectionId!: string;

  @ManyToOne(() => ConnectionEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'connection_id',
    foreignKeyConstraintName: 'scheduled_imports_connection_id_fkey',
  })
  connection!: ConnectionEntity;

  @Column('uuid', { name: 'datagrid_id' })
  datagridId!: string;

  @Column('text')
  name!: string;

  /** Statement whose result is read; `null` if a table is. */
  @Column('text', { nullable: true })
  query!: string | null;

  /** Name of the table, or of its schema and itself. */
  @Column('text', { name: 'table_name', nullable: true })
  table!: string | null;

  /** Keys of the unique columns by which rows match. */
  @Column('text', { name: 'key_columns', array: true })
  keyColumns!: string[];

  /** Column keys by the names of columns of the result; `null` if they are equal. */
  @Column('jsonb', { nullable: true })
  columns!: Readonly<Record<string, string>> | null;

  /** Ids of the columns that have these keys; `null` if an earlier release has stored them. */
  @Column('jsonb', { name: 'column_ids', nullable: true })
  columnIds!: Readonly<Record<string, number>> | null;

  @Column('text', { name: 'missing_rows', default: 'keep' })
  missingRows!: MissingRows;

  /** Whether an empty result deletes all rows, if missing rows are deleted. */
  @Column('boolean', { name: 'allow_empty_result', default: false })
  allowEmptyResult!: boolean;

  /** Time between the starts of two runs; `null` if the import runs only by request. */
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

  /** Start of the last run that has ended. */
  @Column({ type: 'timestamptz', name: 'last_run_at', precision: 3, nullable: true })
  lastRunAt!: Date | null;

  /** Failed runs since the last successful one. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column({ type: 'timestamptz', name: 'last_error_at', precision: 3, nullable: true })
  lastErrorAt!: Date | null;

  @Column('text', { name: 'error_kind', nullable: true })
  errorKind!: FailureKind | null;

  /** `null` if a run must be requested. */
  @Column({ type: 'timestamptz', name: 'next_run_at', precision: 3, nullable: true })
  nextRunAt!: Date | null;

  /** Incremented whenever a worker claims the import, and by every change that concerns its runs. */
  @Column('bigint', { default: 0 })
  token!: number;

  /** Time until which no other worker claims the import. */
  @Column({ type: 'timestamptz', name: 'leased_until', precision: 3, default: () => 'now()' })
  leasedUntil!: Date;
}

/** A run that has ended. */
@Entity('scheduled_import_runs')
@Index('scheduled_import_runs_started', ['startedAt'])
export class ScheduledImportRunEntity {
  @PrimaryColumn('uuid', {
    name: 'scheduled_import_id',
    primaryKeyConstraintName: 'scheduled_import_runs_pkey',
  })
  scheduledImportId!: string;

  /** Sorts by time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scheduled_import_runs_pkey' })
  id!: string;

  @ManyToOne(() => ScheduledImportEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'scheduled_import_id',
    foreignKeyConstraintName: 'scheduled_import_runs_scheduled_import_id_fkey',
  })
  scheduledImport!: ScheduledImportEntity;

  /** The import into the datagrid, which has a report; `null` if the run failed before it. */
  @Column('uuid', { name: 'import_id', nullable: true })
  importId!: string | null;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3 })
  startedAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', precision: 3 })
  endedAt!: Date;

  @Column('bigint', { name: 'rows_read' })
  rowsRead!: number;

  @Column('bigint')
  created!: number;

  @Column('bigint')
  updated!: number;

  @Column('bigint')
  unchanged!: number;

  /** Rows of the datagrid that were deleted, because the result lacks them. */
  @Column('bigint')
  deleted!: number;

  @Column('bigint')
  rejected!: number;

  /** The first rejected rows of the result, by their numbers. */
  @Column('jsonb', { name: 'rejected_rows', default: () => "'[]'" })
  rejectedRows!: RejectedLine[];

  /** Why a successful run has deleted nothing, if it should have. */
  @Column('text', { nullable: true })
  note!: string | null;

  @Column('text', { nullable: true })
  error!: string | null;
}
