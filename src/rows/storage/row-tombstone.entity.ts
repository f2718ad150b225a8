import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a deleted row leaves behind, so that a reader of changes can learn of it. */
@Entity('row_tombstones')
export class RowTombstoneEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'row_tombstones_pkey' })
  datagridId!: string;

  @PrimaryColumn('bigint', { name: 'row_id', primaryKeyConstraintName: 'row_tombstones_pkey' })
  rowId!: number;

  /** The datagrid's revision that deleted it. */
  @Column('bigint')
  revision!: number;
}
