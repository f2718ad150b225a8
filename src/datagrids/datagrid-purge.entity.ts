import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A deleted datagrid whose rows still have to be deleted, in batches. */
@Entity('datagrid_purges')
export class DatagridPurgeEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_purges_pkey' })
  datagridId!: string;

  /**
   * Account whose share the purge uses; `null` if an operator or an earlier release started the
   * purge.
   */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
