import { Entity, PrimaryColumn } from 'typeorm';

/**
 * An entry of the index over a column whose values compare as text. Every row has one: those
 * without a value are `isEmpty`, and so come last. Long values are cut.
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

/** The same for a column of numbers. */
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
