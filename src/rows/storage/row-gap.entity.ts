import { Column, Entity, PrimaryColumn } from 'typeorm';

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
