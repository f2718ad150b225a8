import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds indexes that the service builds for columns that many queries read. The previous release
 * maintains and uses them like those that a column asks for, but neither starts nor drops any.
 */
const UP = `
ALTER TABLE datagrids ADD COLUMN automatic_indexes boolean NOT NULL DEFAULT true;
ALTER TABLE datagrid_columns ADD COLUMN is_automatic boolean NOT NULL DEFAULT false;
CREATE INDEX datagrid_columns_automatic ON datagrid_columns (datagrid_id, id) WHERE is_automatic;

CREATE TABLE column_reads (
  datagrid_id uuid NOT NULL,
  column_id integer NOT NULL,
  reads bigint NOT NULL,
  since timestamptz(3) NOT NULL,
  written_from bigint NOT NULL,
  read_at timestamptz(3) NOT NULL,
  CONSTRAINT column_reads_pkey PRIMARY KEY (datagrid_id, column_id)
);
CREATE INDEX column_reads_age ON column_reads (read_at);
`;

const DOWN = `
DROP TABLE column_reads;
DROP INDEX datagrid_columns_automatic;
ALTER TABLE datagrid_columns DROP COLUMN is_automatic;
ALTER TABLE datagrids DROP COLUMN automatic_indexes;
`;

export class AutomaticIndexes1763837000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
