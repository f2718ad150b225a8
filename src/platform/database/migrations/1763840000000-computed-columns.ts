import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a datagrid may have columns whose values are computed when rows are read. The previous
 * release neither reads nor writes it, and knows no such columns.
 */
export class ComputedColumns1763840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE datagrids ADD COLUMN has_computed boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE datagrids DROP COLUMN has_computed');
  }
}
