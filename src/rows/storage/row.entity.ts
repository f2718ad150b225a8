import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A row as stored. The hot path never makes one of these: it exists for the schema and for
 * tools. Statements on rows stand in the repositories beside it.
 */
@Entity('rows')
export class RowEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'rows_pkey' })
  datagridId!: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'rows_pkey' })
  id!: number;

  /** By slot, never holding a JSON null at its top: no value is an absent member. */
  @Column('jsonb')
  values!: Record<string, unknown>;

  /** The datagrid's revision at this row's last write. */
  @Column('bigint')
  revision!: number;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;
}
