import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ImportOptions } from './import-options';
import type { ImportFailure, RefusedLine } from './import-report';

/**
 * An import, running or ended. For the schema and for tools; the statements are in import-sql.ts.
 */
@Entity('imports')
@Index('imports_idempotency_key', ['accountId', 'userId', 'idempotencyKey'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Index('imports_uncleared', ['datagridId', 'id'], { where: 'NOT is_cleared' })
@Index('imports_finished_at', ['finishedAt'], { where: 'is_cleared' })
export class ImportEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'imports_pkey' })
  datagridId!: string;

  /** UUIDv7: ids sort in the order in which imports were started. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'imports_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The user who started the import, with an API key or a session. */
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey!: string | null;

  /** SHA-256 of the request's method, path and query. */
  @Column('bytea', { name: 'request_hash', nullable: true })
  requestHash!: Buffer | null;

  @Column('jsonb')
  options!: ImportOptions;

  @Column('text', { default: 'running' })
  state!: string;

  /** Size of the body as sent; `null` if the client did not send Content-Length. */
  @Column('bigint', { name: 'total_bytes', nullable: true })
  totalBytes!: number | null;

  @Column('bigint', { name: 'read_bytes', default: 0 })
  readBytes!: number;

  @Column('bigint', { name: 'rows_read', default: 0 })
  rowsRead!: number;

  /**
   * Written in the transaction of each step, together with `updated`, `unchanged` and `next_line`.
   */
  @Column('bigint', { default: 0 })
  created!: number;

  @Column('bigint', { default: 0 })
  updated!: number;

  @Column('bigint', { default: 0 })
  unchanged!: number;

  @Column('bigint', { default: 0 })
  refused!: number;

  /** The line after the last committed step; `null` when the import is completed. */
  @Column('bigint', { name: 'next_line', nullable: true, default: 1 })
  nextLine!: number | null;

  @Column('jsonb', { default: () => "'[]'" })
  errors!: RefusedLine[];

  /**
   * Counts of the lines before `next_line`, written together with it. `rows_read`, `refused` and
   * `errors` run ahead of them.
   */
  @Column('bigint', { name: 'rows_behind', default: 0 })
  rowsBehind!: number;

  @Column('bigint', { name: 'refused_behind', default: 0 })
  refusedBehind!: number;

  @Column('jsonb', { name: 'errors_behind', default: () => "'[]'" })
  errorsBehind!: RefusedLine[];

  /** Keys of the columns that were created from the header. */
  @Column('jsonb', { name: 'created_columns', default: () => "'[]'" })
  createdColumns!: string[];

  @Column('jsonb', { nullable: true })
  failure!: ImportFailure | null;

  /** Whether the import has ended and has no staged lines left. */
  @Column('boolean', { name: 'is_cleared', default: false })
  isCleared!: boolean;

  @CreateDateColumn({ name: 'started_at', type: 'timestamptz', precision: 3 })
  startedAt!: Date;

  /** When the process that runs the import last reported progress. */
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
