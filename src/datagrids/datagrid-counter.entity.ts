import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The numbers of one datagrid, in a narrow row of their own. Every write locks it first, so
 * ids, revisions and the total change in one order, without holes.
 */
@Entity('datagrid_counters')
export class DatagridCounterEntity {
  @PrimaryColumn('uuid', {
    name: 'datagrid_id',
    primaryKeyConstraintName: 'datagrid_counters_pkey',
  })
  datagridId!: string;

  @Column('bigint', { name: 'last_row_id', default: 0 })
  lastRowId!: number;

  @Column('bigint', { name: 'row_count', default: 0 })
  rowCount!: number;

  /** Raised by one by every write, of rows and of columns. */
  @Column('bigint', { default: 0 })
  revision!: number;

  /** Raised by every change of the columns; a write names the one it was checked against. */
  @Column('integer', { name: 'schema_version', default: 1 })
  schemaVersion!: number;

  /** No later write of rows is dated before this; `null` before the first one. */
  @Column({ type: 'timestamptz', name: 'last_written_at', precision: 3, nullable: true })
  lastWrittenAt!: Date | null;
}
