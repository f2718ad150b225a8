import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Counters of one datagrid, in a narrow row of their own. Every write locks this row first, so that
 * ids, revisions and the row count change in one order without gaps.
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

  /** Incremented by every write of rows and of columns, and by a move into or out of the trash. */
  @Column('bigint', { default: 0 })
  revision!: number;

  /**
   * Incremented by every change to how rows are checked, stored or indexed: a change of columns
   * other than of titles, the start or completion of an index, and a move into or out of the trash.
   * A write passes the version it was checked against.
   */
  @Column('integer', { name: 'schema_version', default: 1 })
  schemaVersion!: number;

  /** No later write of rows gets an earlier time; `null` before the first write. */
  @Column({ type: 'timestamptz', name: 'last_written_at', precision: 3, nullable: true })
  lastWrittenAt!: Date | null;
}
