import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ImportOptions } from './import-options';
import type { ImportFailure, RefusedLine } from './import-report';

/** An import, running or over. For the schema and for tools: statements stand beside it. */
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

  /** UUIDv7: ids sort as imports were started. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'imports_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The owner of the API key that started it. */
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

  /** Of the body as sent; `null` where its sender did not say. */
  @Column('bigint', { name: 'total_bytes', nullable: true })
  totalBytes!: number | null;

  @Column('bigint', { name: 'read_bytes', default: 0 })
  readBytes!: number;

  @Column('bigint', { name: 'rows_read', default: 0 })
  rowsRead!: number;

  /** Written, with `updated`, `unchanged` and `next_line`, in the transaction of each step. */
  @Column('bigint', { default: 0 })
  created!: number;

  @Column('bigint', { default: 0 })
  updated!: number;

  @Column('bigint', { default: 0 })
  unchanged!: number;

  @Column('bigint', { default: 0 })
  refused!: number;

  /** The line after the last committed step; `null` once there is nothing to go on with. */
  @Column('bigint', { name: 'next_line', nullable: true, default: 1 })
  nextLine!: number | null;

  @Column('jsonb', { default: () => "'[]'" })
  errors!: RefusedLine[];

  /** What to tell of the lines before `next_line`, written with it; the others run ahead. */
  @Column('bigint', { name: 'rows_behind', default: 0 })
  rowsBehind!: number;

  @Column('bigint', { name: 'refused_behind', default: 0 })
  refusedBehind!: number;

  @Column('jsonb', { name: 'errors_behind', default: () => "'[]'" })
  errorsBehind!: RefusedLine[];

  /** Keys of the columns that were made of the header. */
  @Column('jsonb', { name: 'created_columns', default: () => "'[]'" })
  createdColumns!: string[];

  @Column('jsonb', { nullable: true })
  failure!: ImportFailure | null;

  /** Whether it is over and no staged line of it is left. */
  @Column('boolean', { name: 'is_cleared', default: false })
  isCleared!: boolean;

  @CreateDateColumn({ name: 'started_at', type: 'timestamptz', precision: 3 })
  startedAt!: Date;

  /** When the process that runs it last gave a sign. */
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
