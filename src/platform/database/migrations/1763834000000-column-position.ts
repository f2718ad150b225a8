import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Place of a column among the columns of its datagrid. NULL until a column of the datagrid is moved:
 * then the id is the place. The previous release lists columns by id.
 */
export class ColumnPosition1763834000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns ADD COLUMN position integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrid_columns DROP COLUMN position');
  }
}
