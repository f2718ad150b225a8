import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A stored row. The hot path never creates this entity: it exists for the schema and for tools.
 * Statements on rows are in the repositories of the other folders of `rows`.
 */
@Entity('rows')
export class RowEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'rows_pkey' })
  datagridId!: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'rows_pkey' })
  id!: number;

  /**
   * Values by slot. A value is never JSON null at the top level: a row without a value lacks the
   * member.
   */
  @Column('jsonb')
  values!: Record<string, unknown>;

  /** The revision of the datagrid at the last write of this row. */
  @Column('bigint')
  revision!: number;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;
}

/**
 * An entry of the index of a column whose values compare as text. Every row has one entry per
 * indexed column. Rows without a value have `isEmpty` set, and so sort last. Long values are
 * truncated.
 */
@Entity('text_index_entries')
export class TextIndexEntryEntity {
  @PrimaryColumn('uuid', {
    name: 'datagrid_id',
    primaryKeyConstraintName: 'text_index_entries_pkey',
  })
  datagridId!: string;

  @PrimaryColumn('integer', {
    name: 'column_id',
    primaryKeyConstraintName: 'text_index_entries_pkey',
  })
  columnId!: number;

  @PrimaryColumn('boolean', {
    name: 'is_empty',
    primaryKeyConstraintName: 'text_index_entries_pkey',
  })
  isEmpty!: boolean;

  @PrimaryColumn('text', { collation: 'C', primaryKeyConstraintName: 'text_index_entries_pkey' })
  value!: string;

  @PrimaryColumn('bigint', { name: 'row_id', primaryKeyConstraintName: 'text_index_entries_pkey' })
  rowId!: number;
}

/** An entry of the index of a column of numbers. Works like TextIndexEntryEntity. */
@Entity('number_index_entries')
export class NumberIndexEntryEntity {
  @PrimaryColumn('uuid', {
    name: 'datagrid_id',
    primaryKeyConstraintName: 'number_index_entries_pkey',
  })
  datagridId!: string;

  @PrimaryColumn('integer', {
    name: 'column_id',
    primaryKeyConstraintName: 'number_index_entries_pkey',
  })
  columnId!: number;

  @PrimaryColumn('boolean', {
    name: 'is_empty',
    primaryKeyConstraintName: 'number_index_entries_pkey',
  })
  isEmpty!: boolean;

  @PrimaryColumn('numeric', { primaryKeyConstraintName: 'number_index_entries_pkey' })
  value!: string;

  @PrimaryColumn('bigint', {
    name: 'row_id',
    primaryKeyConstraintName: 'number_index_entries_pkey',
  })
  rowId!: number;
}

/** A link of row `row_id` to row `target_id` of the datagrid that the column links to. */
@Entity('row_links')
@Index('row_links_row', ['datagridId', 'rowId'])
export class RowLinkEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'row_links_pkey' })
  datagridId!: string;

  @PrimaryColumn('integer', { name: 'column_id', primaryKeyConstraintName: 'row_links_pkey' })
  columnId!: number;

  @PrimaryColumn('bigint', { name: 'target_id', primaryKeyConstraintName: 'row_links_pkey' })
  targetId!: number;

  @PrimaryColumn('bigint', { name: 'row_id', primaryKeyConstraintName: 'row_links_pkey' })
  rowId!: number;
}

export const TEXT_INDEX = 'text_index_entries';
export const NUMBER_INDEX = 'number_index_entries';

/**
 * The number of deleted rows in one block of ids. With three levels of blocks (256, 16,384 and
 * 1,048,576 ids), finding a position reads up to 64 entries at each of the two lower levels and one
 * entry per 2^20 ids at the top level.
 */
@Entity('row_gaps')
export class RowGapEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'row_gaps_pkey' })
  datagridId!: string;

  /** 0, 1 or 2: blocks of 2^8, 2^14 and 2^20 ids. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'row_gaps_pkey' })
  level!: number;

  /** (id − 1) divided by the block size of the level, rounded down. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'row_gaps_pkey' })
  block!: number;

  @Column('integer')
  deleted!: number;
}

/**
 * A value of a unique column. The primary key makes duplicates impossible. It contains a hash of
 * the value, because an index entry can hold at most 2,700 bytes.
 */
@Entity('unique_values')
export class UniqueValueEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'unique_values_pkey' })
  datagridId!: string;

  @PrimaryColumn('integer', { name: 'column_id', primaryKeyConstraintName: 'unique_values_pkey' })
  columnId!: number;

  /** The first 16 bytes of the SHA-256 of the value's canonical text. */
  @PrimaryColumn('bytea', { name: 'value_hash', primaryKeyConstraintName: 'unique_values_pkey' })
  valueHash!: Buffer;

  @Column('bigint', { name: 'row_id' })
  rowId!: number;
}

/**
 * A deleted row. Releases before the change log write this table. This release only reads it, to
 * find the last id. The next release drops it.
 */
@Entity('row_tombstones')
export class RowTombstoneEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'row_tombstones_pkey' })
  datagridId!: string;

  @PrimaryColumn('bigint', { name: 'row_id', primaryKeyConstraintName: 'row_tombstones_pkey' })
  rowId!: number;

  /** The revision of the datagrid that deleted the row. */
  @Column('bigint')
  revision!: number;
}
