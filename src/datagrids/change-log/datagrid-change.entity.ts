import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Kind of a write. Stored in the log, so names are added but never changed. */
export type ChangeKind = 'create' | 'update' | 'delete' | 'schema' | 'trashed' | 'restored';

/**
 * An entry of the change log: the ids of the rows that one write changed, without values. The entries
 * of a datagrid cover every revision from the oldest entry to `datagrid_counters.revision`. A
 * statement that raises the revision inserts the entry too.
 */
@Entity('datagrid_changes')
export class DatagridChangeEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_changes_pkey' })
  datagridId!: string;

  /** The revision of the write, or the last one if it has several. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'datagrid_changes_pkey' })
  revision!: number;

  /** Number of the entry among those of its revision, from 0. A batch can have several. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'datagrid_changes_pkey' })
  part!: number;

  /**
   * Number of revisions that the entry covers. More than one only for rows that were created by
   * separate requests and inserted together: each of these rows has its own revision.
   */
  @Column('integer')
  revisions!: number;

  @Column('text')
  kind!: ChangeKind;

  /**
   * First id of the created rows, whose ids are consecutive; `null` for other kinds, and for deleted
   * rows that were created again.
   */
  @Column('bigint', { name: 'first_id', nullable: true })
  firstId!: number | null;

  /** Number of rows; 0 for changes of the datagrid itself. */
  @Column('integer', { name: 'row_count' })
  rowCount!: number;

  /**
   * Ids of the updated or deleted rows, and of deleted rows that were created again; `null` for
   * other kinds.
   */
  @Column('bigint', { name: 'row_ids', array: true, nullable: true })
  rowIds!: number[] | null;

  /** User who made the change; `null` for an operator and the service itself. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  /** API key of the change; `null` if it was made without one, such as in the console. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;

  /** Time of the write: `updated_at` of the rows that it wrote. */
  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;
}
