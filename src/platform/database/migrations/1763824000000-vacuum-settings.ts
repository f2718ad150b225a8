import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables whose rows grow with the rows of users. */
const TABLES = [
  'rows',
  'text_index_entries',
  'number_index_entries',
  'unique_values',
  'datagrid_changes',
  'row_versions',
];

const SETTINGS = {
  autovacuum_vacuum_scale_factor: '0.01',
  autovacuum_vacuum_threshold: '1000',
  autovacuum_vacuum_insert_scale_factor: '0.01',
  autovacuum_vacuum_insert_threshold: '10000',
};

/**
 * Starts autovacuum after changes of 1 % of these tables. By default, PostgreSQL waits for 20 %, which
 * are 200 million rows of a billion. Rewrites no table, and blocks no reads and writes. On Citus, the
 * settings also apply to the shards.
 */
export class VacuumSettings1763824000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const settings = Object.entries(SETTINGS).map(([name, value]) => `${name} = ${value}`);
    for (const table of TABLES) {
      await runner.query(`ALTER TABLE ${table} SET (${settings.join(', ')})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = Object.keys(SETTINGS).join(', ');
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} RESET (${names})`);
  }
}
