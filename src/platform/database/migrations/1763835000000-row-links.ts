import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds links between rows. Both changes take no time, whatever the number of rows. */
export class RowLinks1763835000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_counters ADD COLUMN linked_by uuid[]');
    await runner.query(`
      CREATE TABLE row_links (
        datagrid_id uuid NOT NULL,
        column_id integer NOT NULL,
        target_id bigint NOT NULL,
        row_id bigint NOT NULL,
        CONSTRAINT row_links_pkey PRIMARY KEY (datagrid_id, column_id, target_id, row_id)
      ) WITH (
        autovacuum_vacuum_scale_factor = 0.01,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0.01,
        autovacuum_vacuum_insert_threshold = 10000
      )`);
    await runner.query('CREATE INDEX row_links_row ON row_links (datagrid_id, row_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE row_links');
    await runner.query('ALTER TABLE datagrid_counters DROP COLUMN linked_by');
  }
}
