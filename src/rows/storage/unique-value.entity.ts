import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A value of a unique column. Its primary key is what makes duplicates impossible. A hash
 * stands for the value, since an index entry may hold no more than 2,700 bytes.
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
