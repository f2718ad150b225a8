import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * An earlier version of a row: its values before a write that updated or deleted it. The statement
 * that deletes the row writes it, and if the history of the datagrid is on, the one that updates it.
 * The key has the order of the writes, so that a write appends its versions, and the oldest are
 * deleted first.
 */
@Entity('row_versions')
@Index('row_versions_row', ['datagridId', 'rowId', 'replacedRevision'])
@Index('row_versions_trash', ['datagridId', 'replacedRevision', 'rowId'], { where: 'in_trash' })
export class RowVersionEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'row_versions_pkey' })
  datagridId!: string;

  /** Revision of the write that updated or deleted the row. */
  @PrimaryColumn('bigint', {
    name: 'replaced_revision',
    primaryKeyConstraintName: 'row_versions_pkey',
  })
  replacedRevision!: number;

  @PrimaryColumn('bigint', { name: 'row_id', primaryKeyConstraintName: 'row_versions_pkey' })
  rowId!: number;

  /** Revision of the write that gave the row these values. */
  @Column('bigint')
  revision!: number;

  /** Values by slot, as the row had them, including those of removed columns. */
  @Column('jsonb')
  values!: Record<string, unknown>;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  /** Time of the write that gave the row these values. */
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;

  /** Time of the write that updated or deleted the row. */
  @Column({ type: 'timestamptz', name: 'replaced_at', precision: 3 })
  replacedAt!: Date;

  /** Whether that write deleted the row. */
  @Column('boolean', { name: 'is_deletion' })
  isDeletion!: boolean;

  /** Whether history was on at that write. If not, the version is only kept for the trash. */
  @Column('boolean', { name: 'is_history', default: true })
  isHistory!: boolean;

  /** Whether the row can be restored from the trash: that write deleted it, and it is still deleted. */
  @Column('boolean', { name: 'in_trash', default: false })
  inTrash!: boolean;

  /** User who updated or deleted the row; `null` for an operator and the service itself. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  /** API key of that write; `null` if it was made without one, such as in the console. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;
}
