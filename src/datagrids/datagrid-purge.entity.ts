import { CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A deleted datagrid whose rows still have to be cleared away, in small steps. */
@Entity('datagrid_purges')
export class DatagridPurgeEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_purges_pkey' })
  datagridId!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
