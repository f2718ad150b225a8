import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A stored row. The hot path never creates this entity: it exists for the schema and for tools.
 * Statements on rows are in the repositories of the other folders of `rows`.
 */
@Entity('rows')
export class RowEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'rows_pkey' })
  datagridId!: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'rows_pkey' })
  id!: number;

  /**
   * Values by slot. A value is never JSON null at the top level: a row without a value lacks the
   * member.
   */
  @Column('jsonb')
  values!: Record<string, unknown>;

  /** The revision of the datagrid at the last write of this row. */
  @Column('bigint')
  revision!: number;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;
}
