import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ColumnType } from '../column-type/column-type';
import type { ColumnOptions } from '../column-type/descriptor';
import type { PreviousKey } from './previous-key';

/** A default value as stored: any value of a row. */
export type StoredDefault = string | number | boolean | object;

/** A column of a datagrid. Removed columns keep their row. */
@Entity('datagrid_columns')
@Index('datagrid_columns_upkeep', ['datagridId', 'id'], {
  where: 'indexed_to >= 0 OR entries_left_at IS NOT NULL OR claims_left_at IS NOT NULL',
})
@Index('datagrid_columns_trash', ['removedAt'], { where: 'in_trash' })
@Index('datagrid_columns_key', ['datagridId', 'key'], { unique: true, where: 'removed_at IS NULL' })
export class DatagridColumnEntity {
  @PrimaryColumn('uuid', {
    name: 'datagrid_id',
    primaryKeyConstraintName: 'datagrid_columns_pkey',
    update: false,
  })
  datagridId!: string;

  /** Internal id, from 1 in each datagrid, never reused. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'datagrid_columns_pkey' })
  id!: number;

  /** Place in the list of columns; null until a column of the datagrid is moved: then `id` is. */
  @Column('integer', { nullable: true })
  position!: number | null;

  /** Public name. Available again once the column is removed. */
  @Column('text')
  key!: string;

  /** Keys that the column had before and that requests may use, in the order of their expiry. */
  @Column('jsonb', { name: 'previous_keys', default: () => "'[]'" })
  previousKeys!: readonly PreviousKey[];

  /**
   * The key in `rows.values` under which the column's values are stored: the key that the column had
   * first, or `key~id` if another column stores or stored values under it.
   */
  @Column('text')
  slot!: string;

  @Column('text')
  title!: string;

  @Column('text')
  type!: ColumnType;

  @Column('boolean', { name: 'is_required', default: false })
  required!: boolean;

  @Column('boolean', { name: 'is_unique', default: false })
  unique!: boolean;

  @Column('boolean', { name: 'is_indexed', default: false })
  indexed!: boolean;

  /**
   * Last row that the background build of the index has processed; -1 if the index is complete;
   * null if there is none.
   */
  @Column({ type: 'bigint', name: 'indexed_to', nullable: true })
  indexedTo!: number | null;

  /**
   * Time since which there may be entries of a previous index, which must be deleted before the
   * column gets another one; null if there are none.
   */
  @Column({ type: 'timestamptz', name: 'entries_left_at', precision: 3, nullable: true })
  entriesLeftAt!: Date | null;

  /** The same for claims on unique values. */
  @Column({ type: 'timestamptz', name: 'claims_left_at', precision: 3, nullable: true })
  claimsLeftAt!: Date | null;

  @Column('jsonb', { default: () => "'{}'" })
  options!: ColumnOptions;

  /** Value of new rows that are created without one; null if there is none. */
  @Column('jsonb', { name: 'default_value', nullable: true })
  defaultValue!: StoredDefault | null;

  /**
   * Number of a row minus its id, for a column whose numbers the service assigns; null for others.
   */
  @Column({ type: 'bigint', name: 'number_offset', nullable: true })
  numberOffset!: number | null;

  /** Result of `metadataBytes`; 0 if the previous release wrote the row. */
  @Column('integer', { name: 'metadata_bytes', default: 0 })
  metadataBytes!: number;

  /** Incremented by every change, so that a version never recurs. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'removed_at', precision: 3, nullable: true })
  removedAt!: Date | null;

  /** Whether the column is removed and can be restored. */
  @Column('boolean', { name: 'in_trash', default: false })
  inTrash!: boolean;

  /** User who removed the column that is in the trash. */
  @Column('uuid', { name: 'removed_by_user_id', nullable: true })
  removedByUserId!: string | null;

  /** API key of the removal; null if it was made without one, such as in the console. */
  @Column('uuid', { name: 'removed_by_key_id', nullable: true })
  removedByKeyId!: string | null;
}
