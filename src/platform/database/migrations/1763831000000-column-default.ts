import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds default values of columns. The previous release ignores them. */
export class ColumnDefault1763831000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns ADD COLUMN default_value jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns DROP COLUMN default_value');
  }
}
