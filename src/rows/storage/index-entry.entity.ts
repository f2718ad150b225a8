import { Entity, PrimaryColumn } from 'typeorm';

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

export const TEXT_INDEX = 'text_index_entries';
export const NUMBER_INDEX = 'number_index_entries';
