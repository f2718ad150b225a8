import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A deleted datagrid whose rows still have to be cleared away, in small steps. */
@Entity('datagrid_purges')
export class DatagridPurgeEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_purges_pkey' })
  datagridId!: string;

  /** Whose turns the purge takes; `null` where an operator, or an earlier release, ordered it. */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
