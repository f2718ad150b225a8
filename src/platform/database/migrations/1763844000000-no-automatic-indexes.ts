import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops the indexes that the service built by itself, because columnar copies replace them (ADR 61). Their
 * entries become orphans, which the cleanup of columns deletes. The new schema version rejects writes
 * that were prepared with these indexes.
 */
const UP = `
UPDATE datagrid_counters SET schema_version = schema_version + 1
WHERE datagrid_id IN (SELECT datagrid_id FROM datagrid_columns WHERE is_automatic);
UPDATE datagrid_columns SET indexed_to = NULL, entries_left_at = statement_timestamp()
WHERE is_automatic AND NOT is_indexed AND NOT is_unique AND indexed_to IS NOT NULL;

DROP TABLE column_reads;
DROP INDEX datagrid_columns_automatic;
ALTER TABLE datagrid_columns DROP COLUMN is_automatic;
ALTER TABLE datagrids DROP COLUMN automatic_indexes;
`;

const DOWN = `
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

export class NoAutomaticIndexes1763844000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
