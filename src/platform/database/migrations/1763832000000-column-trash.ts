import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a trash for removed columns. The previous release clears the options of columns that it removes,
 * and leaves `in_trash` false.
 */
export class ColumnTrash1763832000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE datagrid_columns
        ADD COLUMN in_trash boolean NOT NULL DEFAULT false,
        ADD COLUMN removed_by_user_id uuid,
        ADD COLUMN removed_by_key_id uuid`);
    await runner.query(
      'CREATE INDEX datagrid_columns_trash ON datagrid_columns (removed_at) WHERE in_trash',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX datagrid_columns_trash');
    await runner.query(`
      ALTER TABLE datagrid_columns
        DROP COLUMN in_trash, DROP COLUMN removed_by_user_id, DROP COLUMN removed_by_key_id`);
  }
}
