import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Columns by which a view groups and colors its rows. The previous release ignores them: it reads
 * and updates views by the names of their other columns.
 */
const UP = `
ALTER TABLE datagrid_views
  ADD COLUMN group_column_id integer,
  ADD COLUMN color_column_id integer;
`;

export class ViewGroups1763829000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE datagrid_views DROP COLUMN group_column_id, DROP COLUMN color_column_id',
    );
  }
}
