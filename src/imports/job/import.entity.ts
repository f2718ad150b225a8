import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ErrorCode, FieldError } from '../../common/error/app-error';
import type { FileFormat } from '../read/csv-input';

/** Formats of imports: those of files, and `query` for the result of a scheduled import's query. */
export const IMPORT_FORMATS = ['csv', 'ndjson', 'query'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const IMPORT_MODES = ['insert', 'upsert'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export const ERROR_RULES = ['abort', 'skip'] as const;
export type ErrorRule = (typeof ERROR_RULES)[number];

export const IMPORT_STATES = ['running', 'completed', 'failed', 'cancelled'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Options of an import. After the file has been read, they include the detected format. */
export interface ImportOptions extends FileFormat {
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  /** Keys of the unique columns that an upsert matches rows by; empty otherwise. */
  readonly matchOn: readonly string[];
  /** Whether a rejected line ends the import or is skipped. */
  readonly onError: ErrorRule;
  /** Whether columns are created for unknown names in the header. */
  readonly createColumns: boolean;
  /** Whether values of columns whose values the service sets are left out instead of rejected. */
  readonly ignoreReadOnly: boolean;
  /** The first line whose row is read. The header is read in any case. */
  readonly startLine: number;
}

/** A rejected line and the reasons. */
export interface RejectedLine {
  readonly line: number;
  readonly details: readonly FieldError[];
}

/** Reason for which an import ended early. A response can be created from it again. */
export interface ImportFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldError[];
}

/** The stored state of an import. */
export interface ImportRecord {
  readonly id: string;
  readonly datagridId: string;
  readonly options: ImportOptions;
  readonly state: ImportState;
  /** Size of the body as sent; `null` if the client did not send Content-Length. */
  readonly totalBytes: number | null;
  readonly readBytes: number;
  readonly rowsRead: number;
  /** Rows created by committed steps. */
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Revisions of the first and the last committed write; `null` if there is none. */
  readonly firstRevision: number | null;
  readonly lastRevision: number | null;
  /**
   * The line after the last committed step, the start line before the first; `null` when the import
   * is completed.
   */
  readonly nextLine: number | null;
  readonly createdColumns: readonly string[];
  readonly failure: ImportFailure | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** Time since the start, up to the end of the import or now. */
  readonly seconds: number;
}

/** An import with the rejected lines that are stored. */
export interface ImportReport extends ImportRecord {
  readonly errors: readonly RejectedLine[];
}

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

  /** The user who started the import, with an API key or a session; `null` for a scheduled import. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

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

  @Column('bigint', { name: 'refused', default: 0 })
  rejected!: number;

  /** Revision of the first committed step that changed a row; `null` before it. */
  @Column('bigint', { name: 'first_revision', nullable: true })
  firstRevision!: number | null;

  /** Revision of the last one. */
  @Column('bigint', { name: 'last_revision', nullable: true })
  lastRevision!: number | null;

  /** The line after the last committed step; `null` when the import is completed. */
  @Column('bigint', { name: 'next_line', nullable: true, default: 1 })
  nextLine!: number | null;

  @Column('jsonb', { default: () => "'[]'" })
  errors!: RejectedLine[];

  /**
   * Counts of the lines before `next_line`, written together with it. `rows_read`, `rejected` and
   * `errors` run ahead of them.
   */
  @Column('bigint', { name: 'rows_behind', default: 0 })
  rowsBehind!: number;

  @Column('bigint', { name: 'refused_behind', default: 0 })
  rejectedBehind!: number;

  @Column('jsonb', { name: 'errors_behind', default: () => "'[]'" })
  errorsBehind!: RejectedLine[];

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

  /** Time at which the process that runs the import last reported progress. */
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
