import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A line of an import that was checked and waits to be written. For the schema and for tools. */
@Entity('import_lines')
export class ImportLineEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'import_lines_pkey' })
  datagridId!: string;

  @PrimaryColumn('uuid', { name: 'import_id', primaryKeyConstraintName: 'import_lines_pkey' })
  importId!: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'import_lines_pkey' })
  line!: number;

  /** Values by slot; `null` if an upsert clears the value. */
  @Column('jsonb')
  values!: Record<string, unknown>;
}
