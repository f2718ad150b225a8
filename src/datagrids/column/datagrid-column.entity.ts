import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ColumnOptions, ColumnType } from '../column-type/column-type';

/** A column of a datagrid, living or removed. */
@Entity('datagrid_columns')
@Index('datagrid_columns_upkeep', ['datagridId', 'id'], {
  where: 'indexed_to >= 0 OR entries_left_at IS NOT NULL OR claims_left_at IS NOT NULL',
})
@Index('datagrid_columns_key', ['datagridId', 'key'], { unique: true, where: 'removed_at IS NULL' })
export class DatagridColumnEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_columns_pkey' })
  datagridId!: string;

  /** The internal identity, from 1 in each datagrid, never used twice. Also the order. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'datagrid_columns_pkey' })
  id!: number;

  /** The public name; free again once the column is removed. */
  @Column('text')
  key!: string;

  /**
   * The member of `rows.values` that holds this column's values: the key itself, or
   * `key~id` where a removed column has left values under the key.
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
   * The last row that the background build of the index has done, -1 where it is complete, null
   * where there is none.
   */
  @Column({ type: 'bigint', name: 'indexed_to', nullable: true })
  indexedTo!: number | null;

  /**
   * Since when there may be entries of an index that it has no more, to be cleared away before it
   * gets another one; null where there are none.
   */
  @Column({ type: 'timestamptz', name: 'entries_left_at', precision: 3, nullable: true })
  entriesLeftAt!: Date | null;

  /** The same of claims on unique values. */
  @Column({ type: 'timestamptz', name: 'claims_left_at', precision: 3, nullable: true })
  claimsLeftAt!: Date | null;

  @Column('jsonb', { default: () => "'{}'" })
  options!: ColumnOptions;

  /** What `metadataBytes` says of it; 0 where the release before made it. */
  @Column('integer', { name: 'metadata_bytes', default: 0 })
  metadataBytes!: number;

  /** Raised by every change: a version that has been left never comes back. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'removed_at', precision: 3, nullable: true })
  removedAt!: Date | null;
}
