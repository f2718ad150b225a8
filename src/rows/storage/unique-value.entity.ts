import { Column, Entity, PrimaryColumn } from 'typeorm';

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
