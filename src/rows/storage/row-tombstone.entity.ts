import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Records a deleted row, so that readers of changes learn of the deletion. */
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
