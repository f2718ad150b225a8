import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * How many rows were deleted in one block of ids. Three levels of blocks (256, 16,384 and
 * 1,048,576 ids) let a position be found from up to 64 entries at each of the lower levels, and one
 * per 2^20 ids at the top.
 */
@Entity('row_gaps')
export class RowGapEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'row_gaps_pkey' })
  datagridId!: string;

  /** 0, 1 or 2: blocks of 2^8, 2^14 and 2^20 ids. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'row_gaps_pkey' })
  level!: number;

  /** (id − 1) divided by the size of the level's blocks. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'row_gaps_pkey' })
  block!: number;

  @Column('integer')
  deleted!: number;
}
